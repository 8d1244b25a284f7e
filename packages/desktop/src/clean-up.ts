// Removes sessions: it cleans partitions, removes sessions that arrive late, and records which partitions failed.
import { type DesktopHost, appPartition, HUB_PARTITION } from './host'
import { endSession, type Place } from './wire'
import type { Workspace } from './workspace'
import type { DesktopApp } from './eligibility'

/**
 * Ends the session of a partition and removes the sign-in cookies, even when the session could not be ended. Returns false when
 * either step failed.
 */
export async function cleanPartition(host: DesktopHost, { partition, origin }: Place): Promise<boolean> {
  // No signal: a cleanup is never stale.
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

/** The time during which a cookie of an abandoned request may still arrive. */
const LATE_LIMIT_IN_MS = 15_000

/**
 * For a while, ends every session that appears in a partition: it can only come from abandoned work. Stops when new work begins
 * there.
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

/** Stops the watch of a partition, if there is one. */
export function endWatch({ watches }: Workspace, partition: string): void {
  watches.get(partition)?.()
  watches.delete(partition)
}

/** Records that cleanup failed for a partition (the hub's when no application is given), so that it can be retried. */
export function reportUnclean({ board, unclean }: Workspace, app?: DesktopApp): void {
  unclean.add(app ? appPartition(app.id) : HUB_PARTITION)
  if (app) board.changeApp({ id: app.id, name: app.name, status: 'failed', reason: 'clean-up-failed' })
  if (board.progress().phase === 'idle') board.change({ phase: 'failed', reason: 'clean-up-failed' })
}

/**
 * The cookies of signing in and out, without prefix. A name ends with its key where each state has its own cookie. No other
 * cookie of a partition is ever removed.
 */
const NAMES = [
  'session_token',
  'second_factor',
  'pending',
  'passkey',
  'known',
  'provider_state',
  'connection_state',
  'identity',
  'identity_verifier',
  'desktop_binding',
]

const OURS = new RegExp(`^(?:__Host-|__Secure-)?fw\\.(?:${NAMES.join('|')})(?:\\.[\\w-]{1,128})?$`)
const SESSION = /^(?:__Host-|__Secure-)?fw\.session_token$/

/** Whether a cookie of this name belongs to the sign-in, so that signing out removes it. */
export const isWorkspaceCookie = (name: string): boolean => OURS.test(name)

/** Whether a cookie of this name contains a session. */
export const isSessionCookie = (name: string): boolean => SESSION.test(name)
