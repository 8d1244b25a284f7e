// First, because guards and policies check the permissions that it declares.
import fwConfig from '#fw/config'
import type { EventHandler } from 'h3'
import { defineNitroPlugin, useStorage } from 'nitropack/runtime'
import type { NitroApp } from 'nitropack/types'
import { catalog as collections } from '#fw/collections'
import { catalog as jobs } from '#fw/jobs'
import { catalog as mails } from '#fw/mails'
import { frames } from '#fw/page-frames'
import { pages } from '#fw/pages'
import { providers } from '#fw/providers'
import { createApp } from '#fairway/server/compose'
import { declareWork } from '#fairway/server/declare-work'
import { aroundRequests } from '#fairway/server/enter-request'
import { keepRows } from '#fairway/server/keep-rows'
import { bypassMiddleware, readyAnswers } from '#fairway/server/shortcuts'
import { sealAuditLog } from '#fairway/server/domains/actions'
import { endChangeStreams } from '#fairway/server/domains/changes'
import { checkCollections, hostFileReader, listActions } from '#fairway/server/domains/collections'
import { holdsRefusedDevAccount } from '#fairway/server/domains/people'
import { declareTools, warnAboutStaticTokens } from '#fairway/server/domains/mcp'
import { declareProviders } from '#fairway/server/domains/oauth-client'
import type { App } from '#fairway/server/kernel/app-context'
import { backgroundDone, markStopping } from '#fairway/server/kernel/background'
import { startJobs } from '#fairway/server/kernel/jobs'
import { loadShippedMigrations } from '#fairway/server/kernel/database/migrations'
import { migrateAll } from '#fairway/server/kernel/database/migrate'

/** Builds the app context, updates the database, and passes both to every request; a fault ends the process with its reasons. */
export default defineNitroPlugin(nitro => {
  // Open requests get eight seconds to finish before the process ends.
  process.env.NITRO_SHUTDOWN_TIMEOUT ??= '8000'
  const starting = start()
  const working = starting.then(app => startJobs(app, jobs))
  starting.catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(1)
  })
  wrapHandler(nitro, starting)
  nitro.hooks.hook('close', async () => {
    const app = await starting
    endChangeStreams(app)
    const stopWorking = await working
    await stopWorking()
    await backgroundDone(app)
    await sealAuditLog(app)
    await app.db.close()
    app.log.info('stopped')
  })
})

/** Exit codes in the form of a shell: 128 plus the number of the signal. */
const ENDED_BY = { SIGTERM: 143, SIGINT: 130 } as const
/** A terminal, and a program between it and this process, may both forward the same signal. */
const SAME_SIGNAL_IN_MS = 250

/** The first signal lets the process end in order (Nitro closes, see above); another one a moment later ends it at once. */
function followSignals(app: App): void {
  let firstAt: number | undefined
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      markStopping(app)
      firstAt ??= performance.now()
      if (performance.now() - firstAt > SAME_SIGNAL_IN_MS) process.exit(ENDED_BY[signal])
    })
  }
}

/** Wraps the whole application: route rules, static files, middleware and routes receive a request only after this. */
function wrapHandler(nitro: NitroApp, starting: Promise<App>): void {
  const { h3App } = nitro
  bypassMiddleware(nitro)
  const findReady = readyAnswers(nitro)
  const { length } = h3App.stack
  // For as long as no plugin has wrapped or extended the application.
  const handleRequest: EventHandler = aroundRequests(starting, h3App.handler, (...request) =>
    h3App.handler === handleRequest && h3App.stack.length === length ? findReady(...request) : undefined,
  )
  h3App.handler = handleRequest
  // The application's plugins run after this one in the same turn, so their wrappers around the application stay inside.
  queueMicrotask(() => {
    if (h3App.handler !== handleRequest) h3App.handler = aroundRequests(starting, h3App.handler)
  })
}

// Without this the process would continue without serving: Nitro only prints errors of the listening socket.
process.on('uncaughtException', error => {
  if (!('syscall' in error) || error.syscall !== 'listen') return
  process.stderr.write(`The server cannot listen: ${error.message}\n`)
  process.exit(1)
})

/** The declarations for MCP hosts, for calls that run as jobs. */
async function loadTools() {
  const [{ catalog }, { apps, prompts, resources }] = await Promise.all([import('#fw/actions'), import('#fw/mcp')])
  const actions = [...catalog, ...listActions(collections, catalog)]
  return { actions, resources, prompts, apps, readFile: hostFileReader(collections) }
}

async function start() {
  const app = await createApp({ env: process.env, fwConfig, frames })
  checkCollections(app, collections)
  declareProviders(app, providers)
  declareWork(app, { jobs, mails, pages, actions: async () => (await import('#fw/actions')).catalog })
  declareTools(app, loadTools)
  const { applied } = await migrateAll(app.db, await loadShippedMigrations(useStorage), app.log)
  await keepRows(app, collections)
  followSignals(app)
  const { environment, baseUrl } = app.config
  app.log.info('ready', { environment, baseUrl, migrations: applied.length })
  if (app.config.authDisabled) app.log.warn('sign-in is disabled: every request runs as one fixed identity')
  if (await holdsRefusedDevAccount(app)) app.log.warn('the database holds a development account; it opens nothing here')
  if (environment === 'production' && app.config.unconfirmedBy) {
    app.log.warn(
      'accounts open before their address is confirmed: the first person to sign up with an address has the account until its owner arrives and decides at /_fw/claim what stays',
      { setting: app.config.unconfirmedBy },
    )
  }
  if (!app.config.signIn.passwordSignUp) {
    app.log.warn(
      'password sign-up is off: it must confirm addresses, and no mail server is set (SMTP_URL and EMAIL_FROM)',
    )
  }
  await warnAboutStaticTokens(app)
  if (!app.config.rateLimits) app.log.warn('rate limits are switched off')
  return app
}
