import { desktopStatusSchema, type DesktopStatus } from '../shared/schemas/desktop'
import type { DesktopReason } from './ask'

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

export type AppProgress = DesktopStatus['apps'][number]

/** What the broker is at; `workspace` is a hub session with applications in any condition. */
export type Phase = 'idle' | 'ceremony' | 'workspace' | 'sign-in-required' | 'failed'

interface Progress {
  phase: Phase
  isEnabled: boolean
  isAvailable: boolean
  email: string | null
  apps: readonly AppProgress[]
  reason: DesktopReason | null
}

/** Where it begins and where signing out leads. */
export const emptyProgress: Progress = {
  phase: 'idle',
  isEnabled: true,
  isAvailable: false,
  email: null,
  apps: [],
  reason: null,
}

/** What pages see. A workspace is signed in only when every application of it is that may be. */
export const toStatus = ({ phase, apps, ...rest }: Progress): DesktopStatus => ({
  ...rest,
  state: toState(phase, apps),
  apps: [...apps],
})

function toState(phase: Phase, apps: readonly AppProgress[]): DesktopStatus['state'] {
  if (phase === 'ceremony') return 'signing-in'
  if (phase !== 'workspace') return phase
  if (apps.some(({ status }) => status === 'waiting' || status === 'working')) return 'signing-in'
  return apps.some(({ status }) => status === 'failed') ? 'incomplete' : 'signed-in'
}

/** The same with one application changed; one that is not in it is added. */
export function withApp(progress: Progress, app: AppProgress): Progress {
  const isKnown = progress.apps.some(({ id }) => id === app.id)
  const apps = isKnown ? progress.apps.map(known => (known.id === app.id ? app : known)) : [...progress.apps, app]
  return { ...progress, apps }
}
