import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import fwConfig from '#fw/config'
import { devOriginFile } from '../modules/dev-server/environment'
import { loadJobs, loadMails, loadProviders } from '../modules/registry/declarations'
import { platformDir } from '../modules/registry/roots'
import { createApp } from '../server/compose'
import { declareWork } from '../server/declare-work'
import { findLocalPerson } from '../server/domains/people'
import { declareProviders } from '../server/domains/oauth-client'
import { actAs, type ServerSession, sessionOfActing, unconfirmedError } from '../server/domains/sessions'
import type { App } from '../server/kernel/app-context'
import { databaseConfig } from '../server/kernel/config/environment'
import { readEnv } from '../server/kernel/config/env'
import { allPending } from '../server/kernel/database/migrate'
import { readMigrationFolder } from '../server/kernel/database/migrations'
import { databaseTarget } from '../server/kernel/database/target'
import { AppError } from '../server/kernel/http/app-error'
import { parseInput } from '../server/kernel/http/read-input'
import { emailSchema } from '../shared/schemas/email'

/**
 * Returns the app context of this folder's settings, in development unless NODE_ENV says otherwise; its log goes to standard
 * error. Throws `unavailable`, with the fix, when the database is missing or old; it creates none.
 */
export async function openLocalApp(root: string): Promise<App> {
  const { FW_BASE_URL, NODE_ENV, FW_LOG_LEVEL } = process.env
  // Empty is unset, as in every setting.
  const env = {
    ...process.env,
    NODE_ENV: NODE_ENV || 'development',
    FW_LOG_LEVEL: FW_LOG_LEVEL || 'warn',
    FW_BASE_URL: FW_BASE_URL || devOrigin(root),
  }
  checkDatabaseFile(env)
  const app = await createApp({ env, fwConfig, write: line => process.stderr.write(`${line}\n`) })
  const providers = await loadProviders(root)
  declareProviders(
    app,
    providers.map(({ declared }) => declared),
  )
  const jobs = await loadJobs(root)
  const mails = await loadMails(root)
  declareWork(app, {
    jobs: jobs.map(({ name, declared }) => ({ name, job: declared })),
    mails: mails.map(({ name, declared }) => ({ name, mail: declared })),
    actions: async () => [],
  })
  const pending = await allPending(app.db, {
    platform: await readMigrationFolder(join(platformDir, 'drizzle')),
    application: await readMigrationFolder(join(root, 'drizzle')),
  })
  if (pending.length === 0) return app
  await app.db.close()
  throw new AppError('unavailable', {
    detail: `The database is not up to date (${pending.length} migrations). Start the application once with \`npm run dev\`.`,
  })
}

/** Returns the address of the development server of this folder, which may use another port than the usual one. */
function devOrigin(root: string): string | undefined {
  const path = devOriginFile(root)
  return process.env.NODE_ENV !== 'production' && existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

function checkDatabaseFile(env: Record<string, string | undefined>): void {
  const { url, replicaPath } = databaseConfig(readEnv(env))
  const target = databaseTarget(url, replicaPath)
  if (target.kind !== 'file' || existsSync(target.path)) return
  throw new AppError('unavailable', {
    detail: `There is no database at ${target.path}. Start the application once with \`npm run dev\`.`,
  })
}

/**
 * Returns the session of an action on the command line: the local person, in their active organization, unless that organization
 * requires a provider.
 */
export async function localSession(app: App): Promise<ServerSession> {
  const acting = await actAs(app, { userId: await findLocalPerson(app) }, { provider: 'cli' })
  const session = sessionOfActing(acting)
  if (session) return session
  throw 'refusal' in acting && acting.refusal === 'not-confirmed'
    ? unconfirmedError(app)
    : new AppError('unauthenticated', { detail: 'This account opens nothing here.' })
}

/**
 * Returns the session of the operator with this address; null in development without an address. Throws `unauthenticated` in
 * production without an address, `forbidden` for an address that is not in FW_OPERATORS, `email-not-verified`, and
 * `unknown-person` without an account.
 */
export async function operatorSession(app: App, address: string | undefined): Promise<ServerSession | null> {
  if (address === undefined) {
    if (app.config.environment !== 'production') return null
    throw new AppError('unauthenticated', {
      detail:
        'In production, say who acts: --operator <address>, one of FW_OPERATORS. From another machine, use --at <address> with FW_TOKEN.',
    })
  }
  const email = parseInput(z.object({ operator: emailSchema }), { operator: address }).operator
  if (!app.config.operators.includes(email))
    throw new AppError('forbidden', { detail: `${email} is not in FW_OPERATORS.` })
  const acting = await actAs(app, { email, mustBeConfirmed: true }, { provider: 'cli' })
  if ('session' in acting) return acting.session
  if (acting.refusal === 'not-confirmed') throw unconfirmedError(app)
  throw new AppError('unknown-person', { detail: `${email} has no account here that may act.` })
}

// `fw.mjs` changes to the application's folder first.
const root = process.cwd()

/** Opens the database of this folder for the work. */
export async function inLocalApp(work: (app: App) => Promise<number>): Promise<number> {
  const app = await openLocalApp(root)
  try {
    return await work(app)
  } finally {
    await app.db.close()
  }
}
