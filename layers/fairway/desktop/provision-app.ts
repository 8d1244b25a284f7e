import { cleanPartition } from './clean-partition'
import type { DesktopApp } from './desktop-app'
import { DesktopError, reasonOf, StaleWork } from './desktop-error'
import { checkClient, checkEligibility, type HubApp } from './eligibility'
import { askApp, askHub, redeem } from './identity-code'
import { endWatch, watchForLateSession } from './late-sessions'
import type { AppProgress } from './progress'
import { reportUnclean } from './report-unclean'
import { readClient, readSession } from './wire'
import { appPlace, hubPlace, type Run, type Workspace } from './workspace'

type Outcome = Pick<AppProgress, 'status' | 'reason'>

const signedIn: Outcome = { status: 'signed-in', reason: null }

/** Signs the workspace's person in to one application and reports what became of it; once, however many ask at a time. */
export function provisionApp(workspace: Workspace, run: Run, app: DesktopApp): Promise<void> {
  const known = run.underWay.get(app.id)
  if (known) return known
  const work = workspace
    .lanes(appPlace(app).partition, () => provision(workspace, run, app))
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

/** From the moment the code is used there may be a session: it is the right one, or it is taken back. */
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

/** Whether the application may still be about to answer. */
const mayComeLate = (error: unknown): boolean =>
  error instanceof StaleWork || ['timed-out', 'unreachable'].includes(reasonOf(error))
