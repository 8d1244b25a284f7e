import type { DesktopStatus } from '../shared/schemas/desktop'
import type { DesktopReason } from './desktop-error'

export type AppProgress = DesktopStatus['apps'][number]

/** What the broker is at; `workspace` is a hub session with applications in any condition. */
export type Phase = 'idle' | 'ceremony' | 'workspace' | 'sign-in-required' | 'failed'

export interface Progress {
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
