import type { DesktopApp } from './desktop-app'
import { checkEligibility } from './eligibility'
import type { AppProgress } from './progress'
import { provisionApp } from './provision-app'
import type { Run, Workspace } from './workspace'

const AT_ONCE = 3

/** Signs in to these applications, three at a time; each reports as it ends. */
export async function fanOut(workspace: Workspace, run: Run, apps: readonly DesktopApp[]): Promise<void> {
  const waiting = [...apps]
  const work = async () => {
    for (let app = waiting.shift(); app; app = waiting.shift()) await provisionApp(workspace, run, app)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

/** Each application of the shell as it stands before anything is tried. */
export const beforeFanOut = ({ apps, snapshot, allowLoopback }: Workspace): AppProgress[] =>
  apps.map(app => {
    const eligibility = checkEligibility(app, snapshot, allowLoopback)
    const { id, name } = app
    return eligibility.isEligible
      ? { id, name, status: 'waiting', reason: null }
      : { id, name, status: 'not-eligible', reason: eligibility.reason }
  })

/** The applications of the shell that are in this condition. */
export function appsThatAre({ apps, board }: Workspace, ...conditions: AppProgress['status'][]): DesktopApp[] {
  const ids = new Set(
    board
      .progress()
      .apps.filter(({ status }) => conditions.includes(status))
      .map(({ id }) => id),
  )
  return apps.filter(({ id }) => ids.has(id))
}
