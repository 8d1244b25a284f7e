import fwConfig from '#fw/config'
import type { App } from '../../server/kernel/app-context'
import { type Config, loadConfig } from '../../server/kernel/config/config'
import { readEnv } from '../../server/kernel/config/env'

/** What needs no database: the settings and the clock. */
export type OfflineApp = Pick<App, 'config' | 'now'>

/** The settings of this folder's application, in development unless NODE_ENV says otherwise; throws ConfigError. */
export function offlineApp(source: Record<string, string | undefined>): OfflineApp {
  const env = readEnv({ NODE_ENV: 'development', ...source })
  // Nothing is sealed or signed with it here, so none is made or read.
  const config: Config = loadConfig(env, fwConfig, 'not used without a database '.repeat(2))
  return { config, now: () => new Date() }
}
