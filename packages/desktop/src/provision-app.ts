import { adoptCanonical, appPlace, hubPlace, keepRemembered, type Run, type Workspace } from './workspace'
import { checkEligibility, type DesktopApp, checkClient, type HubApp } from './eligibility'
import { askApp, askHub, readClient, readSession, readSnapshot, redeem } from './wire'
import type { AppProgress } from './status-board'
import { cleanPartition, endWatch, watchForLateSession, reportUnclean } from './clean-up'
import { DesktopError, reasonOf, StaleWork } from './ask'

/** Call this when a view of this application opens: signs in to the application unless it is signed in already. */
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

/** Refreshes the hub's applications; concurrent calls share one request. */
function refreshSnapshot(workspace: Workspace, run: Run): Promise<void> {
  run.refreshing ??= readFresh(workspace, run).finally(() => (run.refreshing = undefined))
  return run.refreshing
}

/** Keeps the old snapshot when there is no response, or when it is for another person. */
async function readFresh(workspace: Workspace, run: Run): Promise<void> {
  const fresh = await readSnapshot(workspace.host, hubPlace(workspace, run)).catch(() => undefined)
  if (!fresh || run.signal.aborted || fresh.email !== workspace.board.progress().email) return
  workspace.snapshot = fresh.apps
  adoptCanonical(workspace, fresh.apps)
  await keepRemembered(workspace.host, { apps: fresh.apps, leaving: null })
}

const AT_ONCE = 3

/** Signs in to these applications, three at a time; reports each when it ends. */
export async function fanOut(workspace: Workspace, run: Run, apps: readonly DesktopApp[]): Promise<void> {
  const waiting = [...apps]
  const work = async () => {
    for (let app = waiting.shift(); app; app = waiting.shift()) await provisionApp(workspace, run, app)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

/** The initial state of each application of the shell, before any sign-in. */
export const beforeFanOut = ({ apps, snapshot, allowLoopback }: Workspace): AppProgress[] =>
  apps.map(app => {
    const eligibility = checkEligibility(app, snapshot, allowLoopback)
    const { id, name } = app
    return eligibility.isEligible
      ? { id, name, status: 'waiting', reason: null }
      : { id, name, status: 'not-eligible', reason: eligibility.reason }
  })

/** The applications of the shell in this state. */
export function appsThatAre({ apps, board }: Workspace, ...conditions: AppProgress['status'][]): DesktopApp[] {
  const ids = new Set(
    board
      .progress()
      .apps.filter(({ status }) => conditions.includes(status))
      .map(({ id }) => id),
  )
  return apps.filter(({ id }) => ids.has(id))
}

type Outcome = Pick<AppProgress, 'status' | 'reason'>

const signedIn: Outcome = { status: 'signed-in', reason: null }

/** Signs the workspace's person in to one application and reports the result; concurrent calls share one attempt. */
function provisionApp(workspace: Workspace, run: Run, app: DesktopApp): Promise<void> {
  const known = run.underWay.get(app.id)
  if (known) return known
  const work = workspace
    .mutex(appPlace(app).partition, () => provision(workspace, run, app))
    .finally(() => run.underWay.delete(app.id))
  run.underWay.set(app.id, work)
  return work
}

async function provision(workspace: Workspace, run: Run, app: DesktopApp): Promise<void> {
  if (run.signal.aborted) return
  const report = (outcome: Outcome) => {
    if (!run.signal.aborted) workspace.board.changeApp({ id: app.id, name: app.name, ...outcome })
  }
  endWatch(workspace, appPlace(app).partition)
  report({ status: 'working', reason: null })
  try {
    report(await signIn(workspace, run, app))
  } catch (error) {
    report({ status: 'failed', reason: reasonOf(error) })
  }
}

async function signIn(workspace: Workspace, run: Run, app: DesktopApp): Promise<Outcome> {
  const { host, hub, snapshot, allowLoopback, board } = workspace
  const { email } = board.progress()
  const eligibility = checkEligibility(app, snapshot, allowLoopback)
  if (!eligibility.isEligible) return { status: 'not-eligible', reason: eligibility.reason }
  const { hubApp } = eligibility
  const place = appPlace(app, run)
  if (!hubApp.isCanonical) {
    const reason = checkClient(await readClient(host, place), hubApp, hub)
    if (reason) return { status: 'not-eligible', reason }
  }
  const before = await readSession(host, place)
  if (before !== null) return before === email ? signedIn : { status: 'failed', reason: 'other-account' }
  const callback = await obtainCode(workspace, run, app, hubApp)
  return admit(workspace, run, app, { callback, email })
}

async function obtainCode(workspace: Workspace, run: Run, app: DesktopApp, hubApp: HubApp): Promise<string> {
  const { host, hub } = workspace
  const { url, state } = await askApp(host, appPlace(app, run), { hub, hubApp })
  return askHub(host, hubPlace(workspace, run), { url, state, callbackUrl: hubApp.callbackUrl })
}

/** A session may exist from the moment the code is used: it must be the right one, or it is ended. */
async function admit(
  workspace: Workspace,
  run: Run,
  app: DesktopApp,
  { callback, email }: { callback: string; email: string | null },
): Promise<Outcome> {
  const { host, unclean } = workspace
  try {
    await redeem(host, appPlace(app), callback)
    const after = await readSession(host, appPlace(app, run))
    if (after === null) throw new DesktopError('refused')
    if (after !== email) throw new DesktopError('other-account')
    if (run.signal.aborted) throw new StaleWork()
    unclean.delete(appPlace(app).partition)
    return signedIn
  } catch (error) {
    if (mayComeLate(error)) watchForLateSession(workspace, appPlace(app), () => reportUnclean(workspace, app))
    const isClean = await cleanPartition(host, appPlace(app))
    if (isClean) throw error
    reportUnclean(workspace, app)
    throw new DesktopError('clean-up-failed')
  }
}

/** Whether the application may still respond. */
const mayComeLate = (error: unknown): boolean =>
  error instanceof StaleWork || ['timed-out', 'unreachable'].includes(reasonOf(error))
