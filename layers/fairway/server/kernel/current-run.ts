import { AsyncLocalStorage } from 'node:async_hooks'
import type { AuditCaller } from '#fairway/shared/schemas/audit'
import type { Session } from '#fairway/shared/schemas/session'
import type { App } from './app-context'
import { newId as uuid } from './crypto/random'
import { AppError } from './http/app-error'

/** The identity and the means with which the calling code runs. */
interface Run {
  app: App
  /** The session, or a function that finds it: a request looks its session up on first use. */
  session: Session | null | (() => Promise<Session | null>)
  /** The surface that called an action, or a job; missing in other requests. */
  caller?: AuditCaller
  /** The grant of the token that calls; missing for all other callers. */
  grantId?: string
  /** The organization of a job, which has no session. */
  orgId?: string | null
  /** The slug of the organization that the request names. */
  orgSlug?: string
  /** Returns whether the person signed in at most 15 minutes ago; missing when a token or a program acts for them. */
  hasRecentSignIn?: () => Promise<boolean>
  /** The network address of the person's own program; another application and the command line have none. */
  clientAddress?: string
  /** Whether the declaration of the running code has a `limit`, which has counted this call. */
  isLimited?: boolean
  /** The user agent that the program reports. */
  userAgent?: string
  /**
   * The method and path of a request in which code of authors may not write: nobody's session has been found, and it is not
   * declared public.
   */
  unprotected?: string
  /** What the next calls of `newId` return, where a deleted row comes back under its ID. */
  ids?: string[]
}

const runs = new AsyncLocalStorage<Run>()

/** Runs `work`; everything that it calls finds this run. */
export const withRun = <T>(run: Run, work: () => T): T => runs.run(run, work)

/** Returns the innermost run, like `requireRun`; undefined outside all. */
export const findRun = (): Run | undefined => runs.getStore()

/** Returns the innermost run of the caller: an action's, else the request's; throws outside both. */
export function requireRun(): Run {
  const run = runs.getStore()
  if (!run) throw new Error('this may be called while a request is answered or an action runs')
  return run
}

/** Returns a new ID (UUIDv7) for a row. The opposite of a deletion gets the ID of the deleted row instead. */
export const newId = (): string => findRun()?.ids?.shift() ?? uuid()

/** Returns the session of a run or null; throws while a page is rendered that all visitors share. */
export const sessionOfRun = async ({ session }: Run): Promise<Session | null> =>
  typeof session === 'function' ? session() : session

/**
 * Waits for work, at most `seconds`; then aborts the clock and throws `timed-out`. The work may still fail later, and that
 * failure is dropped.
 */
export async function withTimeout<T>(seconds: number, clock: AbortController, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const error = new AppError('timed-out')
      clock.abort(error)
      reject(error)
    }, seconds * 1000)
  })
  try {
    return await Promise.race([work(), late])
  } finally {
    clearTimeout(timer)
  }
}
