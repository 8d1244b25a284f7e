import type { H3Event } from 'h3'
import type { App } from '#fairway/server/kernel/app-context'
import type { Config } from '#fairway/server/kernel/config/config'
import type { Session } from '#fairway/shared/schemas/session'

/** One place where a session may be found; gives null when it has none, never a substitute. */
export interface SessionSource {
  name: string
  /** Whether this configuration looks here at all. */
  isUsed(config: Config): boolean
  find(event: H3Event, app: App): Promise<Session | null>
}
