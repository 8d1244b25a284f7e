import type { DesktopStatus } from '../../shared/schemas/desktop'
import type { AppWindows } from './app-windows'

/** Loads windows again: those that ask for a sign-in when their application has one, and all that are signed out. */
export function followStatus(windows: Pick<AppWindows, 'reload'>): (status: DesktopStatus) => void {
  const done = new Set<string>()
  return status => {
    const isLeaving = isSigningOut(status)
    const statusOf = new Map(status.apps.map(app => [app.id, app.status]))
    for (const id of done) {
      // Signing out takes an application off the list when it has ended there.
      const isStill = isLeaving ? statusOf.has(id) : statusOf.get(id) === 'signed-in'
      if (isStill) continue
      done.delete(id)
      if (isLeaving) windows.reload(id, 'wherever it is')
    }
    for (const [id, app] of statusOf) {
      if (app === 'signed-in' && !done.has(id)) windows.reload(id, 'where it asks for a sign-in')
      if (app === 'signed-in') done.add(id)
    }
  }
}

/** Beginning a sign-in and opting out forget how applications stand too, but end nobody's session. */
const isSigningOut = ({ email, isEnabled, state }: DesktopStatus): boolean =>
  isEnabled && email === null && (state === 'idle' || state === 'failed')
