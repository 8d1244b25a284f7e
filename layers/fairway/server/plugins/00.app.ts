import type { EventHandler } from 'h3'
import { defineNitroPlugin, useStorage } from 'nitropack/runtime'
import { catalog as collections } from '#fw/collections'
import { frames } from '#fw/page-frames'
import { providers } from '#fw/providers'
import { createApp } from '#fairway/server/compose'
import { aroundRequests } from '#fairway/server/enter-request'
import { purgeApprovals, startAuditSealing } from '#fairway/server/domains/actions'
import { endChangeStreams } from '#fairway/server/domains/changes'
import { checkCollections } from '#fairway/server/domains/collections'
import { holdsRefusedDevAccount, purgeAddressChanges, purgeSessions } from '#fairway/server/domains/people'
import { purgeOAuth, purgeOAuthClients } from '#fairway/server/domains/oauth-server'
import { warnAboutStaticTokens } from '#fairway/server/domains/mcp'
import { declareProviders } from '#fairway/server/domains/oauth-client'
import { purgeEmbedTokens } from '#fairway/server/domains/pages'
import fwConfig from '#fw/config'
import { backgroundDone, everyHour, markStopping } from '#fairway/server/kernel/background'
import { loadShippedMigrations } from '#fairway/server/kernel/database/migrations'
import { migrateAll } from '#fairway/server/kernel/database/migrate'
import { startMailDelivery, purgeMails } from '#fairway/server/kernel/mail/queue-mail'
import { purgeOneTime } from '#fairway/server/kernel/one-time/one-time'
import { purgeRateLimits } from '#fairway/server/kernel/limits/rate-limit'
import { purgeSecurityEvents } from '#fairway/server/kernel/security-events/record-security-event'

const housekeeping = [
  purgeRateLimits,
  purgeOneTime,
  purgeSessions,
  purgeMails,
  purgeEmbedTokens,
  purgeOAuth,
  purgeOAuthClients,
  purgeSecurityEvents,
  purgeApprovals,
  purgeAddressChanges,
]

/** Builds the app context, brings the database up to date, and gives both to every request; a fault ends the process with its reasons. */
export default defineNitroPlugin(nitro => {
  // Open requests get eight seconds to finish before the process ends.
  process.env.NITRO_SHUTDOWN_TIMEOUT ??= '8000'
  const starting = start()
  const delivering = starting.then(startMailDelivery)
  const sealing = starting.then(startAuditSealing)
  const purging = starting.then(app => everyHour(app, housekeeping))
  starting.catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(1)
  })
  const { h3App } = nitro
  // Around the whole application: route rules, static files, middleware and routes see no request before this.
  const around = (handler: EventHandler) => aroundRequests(starting, handler)
  const own = (h3App.handler = around(h3App.handler))
  // The application's plugins run after this one in the same turn: what one of them puts around the application stands inside.
  queueMicrotask(() => {
    if (h3App.handler !== own) h3App.handler = around(h3App.handler)
  })
  nitro.hooks.hook('close', async () => {
    const app = await starting
    endChangeStreams(app)
    const stopPurging = await purging
    stopPurging()
    const stopDelivering = await delivering
    await stopDelivering()
    await backgroundDone(app)
    const stopSealing = await sealing
    await stopSealing()
    await app.db.close()
    app.log.info('stopped')
  })
})

// Without this the process would live on and serve nothing: Nitro only prints what is thrown by the listening socket.
process.on('uncaughtException', error => {
  if (!('syscall' in error) || error.syscall !== 'listen') return
  process.stderr.write(`The server cannot listen: ${error.message}\n`)
  process.exit(1)
})

async function start() {
  const app = await createApp({ env: process.env, fwConfig, frames })
  checkCollections(app, collections)
  declareProviders(app, providers)
  const { applied } = await migrateAll(app.db, await loadShippedMigrations(useStorage), app.log)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => markStopping(app))
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
  await warnAboutStaticTokens(app)
  if (!app.config.rateLimits) app.log.warn('rate limits are switched off')
  return app
}
