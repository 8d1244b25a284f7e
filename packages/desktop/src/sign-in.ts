import { adoptCanonical, hubPlace, keepRemembered, readRemembered, type Run, type Workspace } from './workspace'
import { cleanPartition, endWatch, reportUnclean } from './clean-up'
import { DesktopError, reasonOf } from './ask'
import { appsThatAre, beforeFanOut, fanOut } from './provision-app'
import { holdCeremony } from './hold-ceremony'
import { readSession, readSnapshot, type Exchange, isHubAvailable } from './wire'

/** Runs one ceremony at the hub, then signs in to every eligible application; the board shows the progress. */
export async function signIn(workspace: Workspace): Promise<void> {
  const run = workspace.startRun()
  const { board } = workspace
  board.change({ phase: 'ceremony', email: null, apps: [], reason: null })
  try {
    const exchange = await askPerson(workspace, run)
    if (run.signal.aborted) return
    await enter(workspace, run, exchange)
  } catch (error) {
    if (!run.signal.aborted) board.change({ phase: 'failed', reason: reasonOf(error) })
  }
}

async function askPerson(workspace: Workspace, run: Run): Promise<Exchange> {
  const { host } = workspace
  const hub = hubPlace(workspace, run)
  endWatch(workspace, hub.partition)
  const exchange = await holdCeremony(host, { ...hub, signal: run.signal })
  const email = await readSession(host, hub)
  if (email === exchange.email) return exchange
  if (!(await cleanPartition(host, hub))) reportUnclean(workspace)
  throw new DesktopError(email === null ? 'refused' : 'other-account')
}

/** Resumes the workspace of an earlier start when its hub session still exists. */
export async function resume(workspace: Workspace): Promise<void> {
  const { host, run } = workspace
  const remembered = await readRemembered(host)
  if (!remembered || run.signal.aborted) return
  workspace.snapshot = remembered.apps
  if (remembered.leaving) {
    for (const app of workspace.apps) if (remembered.leaving.includes(app.id)) reportUnclean(workspace, app)
    return reportUnclean(workspace)
  }
  const email = await readSession(host, hubPlace(workspace, run)).catch(() => undefined)
  if (run.signal.aborted || email === undefined) return
  if (email === null) return requireSignIn(workspace)
  const fresh = await readSnapshot(host, hubPlace(workspace, run)).catch(() => undefined)
  if (run.signal.aborted) return
  await enter(workspace, run, { email, apps: fresh?.email === email ? fresh.apps : remembered.apps })
}

async function enter(workspace: Workspace, run: Run, { email, apps }: Exchange): Promise<void> {
  workspace.snapshot = apps
  adoptCanonical(workspace, apps)
  workspace.board.change({ phase: 'workspace', email, reason: null, apps: beforeFanOut(workspace) })
  await keepRemembered(workspace.host, { apps, leaving: null })
  await fanOut(workspace, run, appsThatAre(workspace, 'waiting'))
}

/** Retries only the failed applications. */
export async function retry(workspace: Workspace): Promise<void> {
  const { host, board, run } = workspace
  const email = await readSession(host, hubPlace(workspace, run)).catch(() => undefined)
  if (run.signal.aborted || email === undefined) return
  if (email !== board.progress().email) return requireSignIn(workspace)
  await fanOut(workspace, run, appsThatAre(workspace, 'failed'))
}

/** Handles the loss of the hub's session: applications keep their sessions, but no new sign-in starts. */
function requireSignIn(workspace: Workspace): void {
  const { board } = workspace
  workspace.startRun()
  const apps = board
    .progress()
    .apps.map(app =>
      app.status === 'waiting' || app.status === 'working'
        ? { ...app, status: 'failed' as const, reason: 'refused' as const }
        : app,
    )
  board.change({ phase: 'sign-in-required', email: null, reason: null, apps })
}

const EVERY_IN_MS = 300_000

/** Checks periodically whether the hub session is still valid; the returned function stops it. */
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

/** Checks again whether the hub offers workspace sign-in and who is signed in there. Only a clear response changes the state. */
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
