// Taking sessions back: what a partition is cleaned of, what still comes late, and what could not be cleaned.
import { type DesktopHost, appPartition, HUB_PARTITION } from './host'
import { endSession, type Place } from './wire'
import type { Workspace } from './workspace'
import type { DesktopApp } from './eligibility'

/**
 * Ends the session of a partition and removes the cookies of signing in, also when the session could not be ended.
 * False when either did not work.
 */
export async function cleanPartition(host: DesktopHost, { partition, origin }: Place): Promise<boolean> {
  // No signal: what cleans up is never stale.
  const hasEnded = await succeeds(() => endSession(host, { partition, origin }))
  const hasRemoved = await succeeds(() => host.cookies(partition).remove(isWorkspaceCookie))
  return hasEnded && hasRemoved
}

const succeeds = async (work: () => Promise<void>): Promise<boolean> => {
  try {
    await work()
    return true
  } catch {
    return false
  }
}

/** How long after a request was given up its cookie may still come. */
const LATE_LIMIT_IN_MS = 15_000

/**
 * For a while, takes back every session that appears in a partition: it can only come from work that was given up.
 * Ends when something new begins there.
 */
export function watchForLateSession(workspace: Workspace, place: Place, onUnclean: () => void): void {
  const { host, mutex, watches } = workspace
  const { partition } = place
  endWatch(workspace, partition)
  const stopListening = host.cookies(partition).onAdded(name => {
    if (!isSessionCookie(name)) return
    void mutex(partition, () => cleanPartition(host, place)).then(isClean => isClean || onUnclean())
  })
  const cancel = host.after(LATE_LIMIT_IN_MS, () => endWatch(workspace, partition))
  watches.set(partition, () => {
    cancel()
    stopListening()
  })
}

/** Ends the watch of a partition, if there is one. */
export function endWatch({ watches }: Workspace, partition: string): void {
  watches.get(partition)?.()
  watches.delete(partition)
}

/** Notes that a partition (the hub's without an application) could not be cleaned up, so that it can be tried again. */
export function reportUnclean({ board, unclean }: Workspace, app?: DesktopApp): void {
  unclean.add(app ? appPartition(app.id) : HUB_PARTITION)
  if (app) board.changeApp({ id: app.id, name: app.name, status: 'failed', reason: 'clean-up-failed' })
  if (board.progress().phase === 'idle') board.change({ phase: 'failed', reason: 'clean-up-failed' })
}

/**
 * The cookies that signing in and out leaves, without prefix. Where there is one for each state, the name ends with its key.
 * Nothing else of a partition is ever removed.
 */
const NAMES = [
  'session_token',
  'second_factor',
  'pending',
  'passkey',
  'provider_state',
  'connection_state',
  'identity',
  'identity_verifier',
  'desktop_binding',
]

const OURS = new RegExp(`^(?:__Host-|__Secure-)?fw\\.(?:${NAMES.join('|')})(?:\\.[\\w-]{1,128})?$`)
const SESSION = /^(?:__Host-|__Secure-)?fw\.session_token$/

/** Whether a cookie of this name belongs to signing in, so that signing out removes it. */
export const isWorkspaceCookie = (name: string): boolean => OURS.test(name)

/** Whether a cookie of this name holds a session. */
export const isSessionCookie = (name: string): boolean => SESSION.test(name)
