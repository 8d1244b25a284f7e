import { cleanPartition, watchForLateSession, reportUnclean } from './clean-up'
import { type DesktopApp, checkEligibility } from './eligibility'
import { appsThatAre } from './provision-app'
import { appPartition, HUB_PARTITION } from './host'
import { appPlace, hubPlace, keepRemembered, type Workspace } from './workspace'

/** Ends the run; sessions that its unfinished work still brings are taken back. */
export function endRun(workspace: Workspace): void {
  const { apps, run } = workspace
  const isBusy = run.underWay.size > 0
  for (const app of apps) {
    if (run.underWay.has(app.id)) watchForLateSession(workspace, appPlace(app), () => reportUnclean(workspace, app))
  }
  if (isBusy) watchForLateSession(workspace, hubPlace(workspace), () => reportUnclean(workspace))
  workspace.startRun()
}

/** Signs out of every application that takes part, and of the hub; what could not be cleaned up is reported. */
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
  // Signing out goes on where it cannot be noted: a restart then finds no session at the hub.
  await keepLeaving(workspace, leaving).catch(() => undefined)
  await Promise.all([...leaving.map(app => leave(workspace, app)), leave(workspace)])
  await conclude(workspace)
}

/** Tries again what could not be cleaned up, and only that. */
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

/** From here on a restart goes on signing out, and never signs in again. */
const keepLeaving = ({ host, snapshot }: Workspace, leaving: readonly DesktopApp[]): Promise<void> =>
  keepRemembered(host, { apps: [...snapshot], leaving: leaving.map(({ id }) => id) })

/** Applications that were or may have been signed in to; those that do not take part keep their own sign-in. */
function participants(workspace: Workspace): DesktopApp[] {
  const { apps, snapshot, allowLoopback, unclean } = workspace
  const outside = appsThatAre(workspace, 'not-eligible')
  return apps.filter(
    app =>
      unclean.has(appPartition(app.id)) ||
      (checkEligibility(app, snapshot, allowLoopback).isEligible && !outside.includes(app)),
  )
}
