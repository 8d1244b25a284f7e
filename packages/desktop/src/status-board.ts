import { desktopStatusSchema, type DesktopStatus } from 'nuxt-fairway/desktop-wire'
import type { DesktopReason } from './ask'

export interface StatusBoard {
  progress(): Progress
  /** The current status for pages; throws when it does not match the schema. */
  status(): DesktopStatus
  change(part: Partial<Progress>): void
  changeApp(app: AppProgress): void
  /** Reports every change; the returned function unsubscribes. */
  onStatus(listener: (status: DesktopStatus) => void): () => void
}

/** Holds the progress and notifies listeners, always through the strict schema. */
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
    // A closed page does not stop the broker.
  }
}

export type AppProgress = DesktopStatus['apps'][number]

/** The broker's phase; `workspace` is a hub session with applications in any state. */
export type Phase = 'idle' | 'ceremony' | 'workspace' | 'sign-in-required' | 'failed'

interface Progress {
  phase: Phase
  isEnabled: boolean
  isAvailable: boolean
  email: string | null
  apps: readonly AppProgress[]
  reason: DesktopReason | null
}

/** The initial state, which is also the state after signing out. */
export const emptyProgress: Progress = {
  phase: 'idle',
  isEnabled: true,
  isAvailable: false,
  email: null,
  apps: [],
  reason: null,
}

/** The status for pages. A workspace is signed in only when every eligible application is. */
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

/** Returns a copy with one application changed; adds it when it is missing. */
export function withApp(progress: Progress, app: AppProgress): Progress {
  const isKnown = progress.apps.some(({ id }) => id === app.id)
  const apps = isKnown ? progress.apps.map(known => (known.id === app.id ? app : known)) : [...progress.apps, app]
  return { ...progress, apps }
}
