import type { DesktopHost } from './host'
import { isWorkspaceCookie } from './workspace-cookies'
import { endSession, type Place } from './wire'

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
