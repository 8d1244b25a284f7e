import { cleanPartition, watchForLateSession, reportUnclean } from './clean-up'
import { type DesktopApp, checkEligibility } from './eligibility'
import { appsThatAre } from './provision-app'
import { appPartition, HUB_PARTITION } from './host'
import { appPlace, hubPlace, keepRemembered, type Workspace } from './workspace'

/** Ends the run; sessions that its unfinished work still creates are ended too. */
export function endRun(workspace: Workspace): void {
  const { apps, run } = workspace
  const isBusy = run.underWay.size > 0
  for (const app of apps) {
    if (run.underWay.has(app.id)) watchForLateSession(workspace, appPlace(app), () => reportUnclean(workspace, app))
  }
  if (isBusy) watchForLateSession(workspace, hubPlace(workspace), () => reportUnclean(workspace))
  workspace.startRun()
}

/** Signs out of every participating application, and of the hub; reports the partitions that could not be cleaned up. */
export async function signOut(workspace: Workspace): Promise<void> {
  const { board } = workspace
  endRun(workspace)
  const leaving = participants(workspace)
  board.change({
    phase: 'idle',
    email: null,
    reason: null,
    apps: leaving.map(({ id, name }) => ({ id, name, status: 'working', reason: null })),
  })
  workspace.unclean.clear()
  // Signing out continues when this state cannot be stored: a restart then finds no session at the hub.
  await keepLeaving(workspace, leaving).catch(() => undefined)
  await Promise.all([...leaving.map(app => leave(workspace, app)), leave(workspace)])
  await conclude(workspace)
}

/** Retries only the partitions that could not be cleaned up. */
export async function retryCleanUp(workspace: Workspace): Promise<void> {
  const { apps, unclean, board } = workspace
  const partitions = new Set(unclean)
  unclean.clear()
  board.change({ phase: 'idle', reason: null })
  const leaving = apps.filter(({ id }) => partitions.has(appPartition(id)))
  const hub = partitions.has(HUB_PARTITION) ? [leave(workspace)] : []
  await Promise.all([...leaving.map(app => leave(workspace, app)), ...hub])
  await conclude(workspace)
}

async function leave(workspace: Workspace, app?: DesktopApp): Promise<void> {
  const { host, mutex, board } = workspace
  const place = app ? appPlace(app) : hubPlace(workspace)
  const isClean = await mutex(place.partition, () => cleanPartition(host, place))
  if (!isClean) return reportUnclean(workspace, app)
  if (app) board.change({ apps: board.progress().apps.filter(({ id }) => id !== app.id) })
}

async function conclude(workspace: Workspace): Promise<void> {
  const { host, apps, unclean } = workspace
  if (unclean.size > 0) {
    return keepLeaving(
      workspace,
      apps.filter(({ id }) => unclean.has(appPartition(id))),
    )
  }
  workspace.snapshot = []
  await keepRemembered(host, null)
}

/** Stores that a sign-out has begun: a restart continues it and does not sign in again. */
const keepLeaving = ({ host, snapshot }: Workspace, leaving: readonly DesktopApp[]): Promise<void> =>
  keepRemembered(host, { apps: [...snapshot], leaving: leaving.map(({ id }) => id) })

/** Returns the applications with a certain or possible session; those that do not take part keep their own sign-in. */
function participants(workspace: Workspace): DesktopApp[] {
  const { apps, snapshot, allowLoopback, unclean } = workspace
  const outside = appsThatAre(workspace, 'not-eligible')
  return apps.filter(
    app =>
      unclean.has(appPartition(app.id)) ||
      (checkEligibility(app, snapshot, allowLoopback).isEligible && !outside.includes(app)),
  )
}
