import { desktopStatusSchema, type DesktopStatus } from '../shared/schemas/desktop'
import { emptyProgress, toStatus, withApp, type AppProgress, type Progress } from './progress'

export interface StatusBoard {
  progress(): Progress
  /** What pages may see now; throws when it would not fit the schema. */
  status(): DesktopStatus
  change(part: Partial<Progress>): void
  changeApp(app: AppProgress): void
  /** Tells every change; what it gives ends that. */
  onStatus(listener: (status: DesktopStatus) => void): () => void
}

/** Holds the progress and tells listeners of it, always through the strict schema. */
export function createStatusBoard(): StatusBoard {
  const listeners = new Set<(status: DesktopStatus) => void>()
  const held = { progress: emptyProgress }
  const status = () => desktopStatusSchema.parse(toStatus(held.progress))
  const keep = (progress: Progress) => {
    held.progress = progress
    for (const listener of listeners) tell(listener, status())
  }
  return {
    progress: () => held.progress,
    status,
    change: part => keep({ ...held.progress, ...part }),
    changeApp: app => keep(withApp(held.progress, app)),
    onStatus(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

function tell(listener: (status: DesktopStatus) => void, status: DesktopStatus): void {
  try {
    listener(status)
  } catch {
    // A page that is gone does not stop the broker.
  }
}
