import { cleanPartition } from './clean-partition'
import { isSessionCookie } from './workspace-cookies'
import type { Place } from './wire'
import type { Workspace } from './workspace'

/** How long after a request was given up its cookie may still come. */
const LATE_LIMIT_IN_MS = 15_000

/**
 * For a while, takes back every session that appears in a partition: it can only come from work that was given up.
 * Ends when something new begins there.
 */
export function watchForLateSession(workspace: Workspace, place: Place, onUnclean: () => void): void {
  const { host, lanes, watches } = workspace
  const { partition } = place
  endWatch(workspace, partition)
  const stopListening = host.cookies(partition).onAdded(name => {
    if (!isSessionCookie(name)) return
    void lanes(partition, () => cleanPartition(host, place)).then(isClean => isClean || onUnclean())
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
