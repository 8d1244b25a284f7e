import { requireSignIn, resume } from './sign-in'
import { isHubAvailable, readSession } from './wire'
import { hubPlace, type Workspace } from './workspace'

const EVERY_IN_MS = 300_000

/** Asks the hub from time to time whether the workspace still stands; what it gives ends that. */
export function keepRevalidating(workspace: Workspace): () => void {
  const held = { cancel: () => {}, hasEnded: false }
  const schedule = () => {
    if (held.hasEnded) return
    held.cancel = workspace.host.after(EVERY_IN_MS, () => void revalidate(workspace).finally(schedule))
  }
  schedule()
  return () => {
    held.hasEnded = true
    held.cancel()
  }
}

/** Reads again whether the hub offers it and who is signed in there. Only a clear answer changes the state. */
async function revalidate(workspace: Workspace): Promise<void> {
  const { host, board, run } = workspace
  const isAvailable = await isHubAvailable(host, hubPlace(workspace, run))
  if (run.signal.aborted) return
  board.change({ isAvailable })
  const { email, phase } = board.progress()
  if (phase === 'idle' && isAvailable && !workspace.isLeaving) return resume(workspace)
  if (email === null) return
  const session = await readSession(host, hubPlace(workspace, run)).catch(() => undefined)
  if (run.signal.aborted || session === undefined) return
  if (session !== email) requireSignIn(workspace)
}
