import { type App, createOnce } from '#server/foundation/app-context'
import { loadConfig } from '#server/foundation/config/config'
import { devSecret } from '#server/foundation/config/dev-secret'
import { readEnv } from '#server/foundation/config/env'
import { unknownNames } from '#server/foundation/config/unknown-names'
import type { FwConfig } from '#server/foundation/config/fw-config'
import { openDatabase } from '#server/foundation/database/client'
import { createLog } from '#server/foundation/events/log'
import { createMailer } from '#server/foundation/mail/mailer'

export interface CreateAppInput {
  env: Record<string, string | undefined>
  fwConfig: FwConfig
  /** Where log lines go; standard output when not given. */
  write?: (line: string) => void
}

/** Builds the app context from the environment; throws ConfigError with all faults at once. */
export async function createApp({ env: source, fwConfig, write = writeLine }: CreateAppInput): Promise<App> {
  const env = readEnv(source)
  const needsDevSecret = (env.NODE_ENV ?? 'production') !== 'production' && !env.BETTER_AUTH_SECRET
  const config = loadConfig(env, fwConfig, needsDevSecret ? devSecret(env.FW_DATA_DIR ?? '.data') : undefined)
  const now = () => new Date()
  const log = createLog(write, config.logLevel, now)
  for (const { name, nearest } of unknownNames(source)) log.warn('unknown setting', { name, nearest })
  for (const notice of config.notices) log.warn('setting ignored', { notice })
  const db = await openDatabase({ ...config.database, log })
  const mailer = createMailer(config.mail, log)
  return { config, db, log, mailer, fetch: globalThis.fetch, now, once: createOnce() }
}

const writeLine = (line: string) => {
  process.stdout.write(`${line}\n`)
}
