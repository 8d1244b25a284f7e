import { adoptCanonical } from './adopt-canonical'
import { checkEligibility } from './eligibility'
import { provisionApp } from './provision-app'
import { keepRemembered } from './remembered-workspace'
import { readSnapshot } from './wire'
import { hubPlace, type Run, type Workspace } from './workspace'

/** A view of this application has been opened: signs in to it when that is still to be done. */
export async function appLoaded(workspace: Workspace, appId: string): Promise<void> {
  const { apps, board, run, allowLoopback } = workspace
  const app = apps.find(({ id }) => id === appId)
  if (!app || !mayProvision(workspace)) return
  if (board.progress().apps.some(({ id, status }) => id === appId && status === 'signed-in')) return
  if (!checkEligibility(app, workspace.snapshot, allowLoopback).isEligible) {
    await refreshSnapshot(workspace, run)
    if (run.signal.aborted || !checkEligibility(app, workspace.snapshot, allowLoopback).isEligible) return
  }
  await provisionApp(workspace, run, app)
}

const mayProvision = ({ board }: Workspace): boolean => {
  const { isEnabled, isAvailable, phase } = board.progress()
  return isEnabled && isAvailable && phase === 'workspace'
}

/** Reads the hub's applications again, once however many ask. */
function refreshSnapshot(workspace: Workspace, run: Run): Promise<void> {
  run.refreshing ??= readFresh(workspace, run).finally(() => (run.refreshing = undefined))
  return run.refreshing
}

/** Without an answer, and for somebody else, the old snapshot stays. */
async function readFresh(workspace: Workspace, run: Run): Promise<void> {
  const fresh = await readSnapshot(workspace.host, hubPlace(workspace, run)).catch(() => undefined)
  if (!fresh || run.signal.aborted || fresh.email !== workspace.board.progress().email) return
  workspace.snapshot = fresh.apps
  adoptCanonical(workspace, fresh.apps)
  await keepRemembered(workspace.host, { apps: fresh.apps, leaving: null })
}
