import type { H3Event } from 'h3'
import type { Session } from '#fairway/shared/schemas/session'
import type { Config } from './config/config'
import type { Database } from './database/client'
import type { DependentRows } from './dependent-rows'
import type { Log } from './events/log'
import type { AppError } from './http/app-error'
import type { Mailer } from './mail/mailer'
import type { PageFrames } from './server-page/page-frame'

/** Everything that a domain needs from outside, built once at start and passed in; there is no other shared state. */
export interface App {
  config: Config
  /** The environment that the configuration was read from. */
  env: Readonly<Record<string, string | undefined>>
  db: Database
  log: Log
  mailer: Mailer
  fetch: typeof fetch
  /** The application's frames for the server's own pages. */
  frames: PageFrames
  /** The dependent rows that every domain declares, read by the domains that delete people and organizations. */
  dependents: readonly DependentRows[]
  /** The names of the platform's own tables; all others in the database are the application's. */
  platformTables: ReadonlySet<string>
  /** Whether rows of this table may decide who somebody is and what they may do. */
  decidesAccess(table: string): boolean
  now(): Date
  /** Set only on a developer's own machine (server/devtools). */
  trace?: Trace
  /** Builds a domain's service on first use and keeps it for the lifetime of this app. */
  memo<T>(name: string, make: () => T): T
}

/** An action's refusal, with the caller's session and input. */
interface Refusal {
  action: string
  session: Session | null
  /** Read at once and not kept. */
  input: unknown
  error: AppError
}

/** Receives the steps of each request on a developer's own machine. Other servers have none, and requests do not wait for it. */
export interface Trace {
  /** The next step of a request begins; `fact` describes it in a few words. */
  step(requestId: string, step: string, fact?: string): void
  /** The caller is identified; `source` is the place where the session was found. */
  person(requestId: string, source: string, session: Session | null): void
  refused(requestId: string, refusal: Refusal): void
}

declare module 'h3' {
  interface H3EventContext {
    app?: App
    requestId?: string
  }
}

/** Returns the app that serves this request; throws where the start-up plugin did not run. */
export function getApp(event: H3Event): App {
  const { app } = event.context
  if (!app) throw new Error('the app context is missing on this request')
  return app
}

/** Returns the id that finds this request in the log. */
export const getRequestId = (event: H3Event): string => event.context.requestId ?? 'unknown'

/** Creates the memo behind `App.memo`. */
export function createMemo(): App['memo'] {
  const values = new Map<string, unknown>()
  return <T>(name: string, make: () => T) => {
    if (!values.has(name)) values.set(name, make())
    return values.get(name) as T
  }
}
