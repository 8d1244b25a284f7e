import { getTableName, is } from 'drizzle-orm'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { type App, createMemo } from '#fairway/server/kernel/app-context'
import { loadConfig } from '#fairway/server/kernel/config/config'
import { devSecret, unknownNames } from '#fairway/server/kernel/config/environment'
import { readEnv } from '#fairway/server/kernel/config/env'
import type { FwConfig } from '#fairway/server/kernel/config/fw-config'
import { openDatabase } from '#fairway/server/kernel/database/client'
import { refuseInRehearsal } from '#fairway/server/kernel/database/rehearsal'
import { createLog } from '#fairway/server/kernel/events/log'
import type { PageFrames } from '#fairway/server/kernel/server-page/page-frame'
import { actionsRows } from '#fairway/server/domains/actions'
import { agentsRows } from '#fairway/server/domains/agents'
import { directoryRows } from '#fairway/server/domains/directory'
import { filesRows } from '#fairway/server/domains/files'
import { oauthClientRows } from '#fairway/server/domains/oauth-client'
import { oauthServerRows } from '#fairway/server/domains/oauth-server'
import { organizationRows } from '#fairway/server/domains/organizations'
import { pagesRows } from '#fairway/server/domains/pages'
import { peopleRows } from '#fairway/server/domains/people'
import { plansRows } from '#fairway/server/domains/plans'
import { setupRows } from '#fairway/server/domains/setup'
import { signInRows } from '#fairway/server/domains/sign-in'
import { webhookRows } from '#fairway/server/domains/webhooks'
import { offerLanguages } from '#fairway/server/kernel/messages'
import { createMailer, type Mailer } from '#fairway/server/kernel/mail/mailer'
import * as schema from './schema'

/** The domains with rows that depend on people, memberships and organizations. */
const dependents = [
  peopleRows,
  signInRows,
  organizationRows,
  directoryRows,
  setupRows,
  oauthClientRows,
  oauthServerRows,
  actionsRows,
  agentsRows,
  pagesRows,
  webhookRows,
  filesRows,
  plansRows,
]

const platformTables: ReadonlySet<string> = new Set(
  Object.values(schema).flatMap(value => (is(value, SQLiteTable) ? [getTableName(value)] : [])),
)

/** Tables of what has happened or will happen. No session and no access depends on their rows. */
const CHRONICLES: ReadonlySet<string> = new Set(
  [schema.auditLog, schema.jobs, schema.notifications, schema.inboxSignals, schema.mailOutbox].map(getTableName),
)

export interface CreateAppInput {
  env: Record<string, string | undefined>
  fwConfig: FwConfig
  /** The application's frames for the server's own pages; none when not given. */
  frames?: PageFrames
  /** The output of log lines; standard output when not given. */
  write?: (line: string) => void
  /** The clock; the machine's clock when not given. */
  now?: () => Date
  /** Sends mails instead of the mailer that the environment configures. */
  mailer?: Mailer
}

/** Builds the app context from the environment; throws ConfigError with all faults at once. */
export async function createApp({
  env: source,
  fwConfig,
  frames = {},
  write = writeLine,
  now = () => new Date(),
  mailer,
}: CreateAppInput): Promise<App> {
  const env = readEnv(source)
  const needsDevSecret = (env.NODE_ENV ?? 'production') !== 'production' && !env.BETTER_AUTH_SECRET
  const config = loadConfig(env, fwConfig, needsDevSecret ? devSecret(env.FW_DATA_DIR ?? '.data') : undefined)
  offerLanguages(fwConfig)
  const log = createLog(write, config.logLevel, now)
  for (const { name, nearest } of unknownNames(source)) log.warn('unknown setting', { name, nearest })
  for (const notice of config.notices) log.warn('setting ignored', { notice })
  const db = await openDatabase({ ...config.database, log })
  return {
    config,
    env: source,
    db,
    log,
    mailer: mailer ?? createMailer(config.mail, log),
    fetch: async (...request) => {
      refuseInRehearsal('another server')
      return globalThis.fetch(...request)
    },
    frames,
    dependents,
    platformTables,
    decidesAccess: table => platformTables.has(table) && !CHRONICLES.has(table),
    now,
    memo: createMemo(),
  }
}

const writeLine = (line: string) => {
  process.stdout.write(`${line}\n`)
}
