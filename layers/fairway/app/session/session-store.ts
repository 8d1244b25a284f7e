import { readonly, shallowRef, type DeepReadonly, type ShallowRef } from 'vue'
import type { Session } from '#fairway/shared/schemas/session'
import { workingIn } from '#fairway/shared/org-path'

export type SessionState =
  | { status: 'loading' }
  | { status: 'signed-in'; session: Session }
  | { status: 'signed-out' }
  | { status: 'unreachable'; reason: unknown }

export interface SessionStore {
  state: DeepReadonly<ShallowRef<SessionState>>
  /** Requests the session. Drops a response that a newer request or a sign-out has superseded. */
  check(): Promise<void>
  /** As `check`, but joins a pending request. */
  recheck(): Promise<void>
  /** As `check`, and shows the organization that the user works in now. */
  follow(): Promise<void>
  /** The session in another organization, while this page still shows the one before. */
  elsewhere: DeepReadonly<ShallowRef<Session | undefined>>
  /** Ends the session on the server and here. Throws when the server did not confirm it. */
  signOut(): Promise<void>
  /** Applies a sign-out from another tab. */
  acceptSignOut(): void
}

export interface SessionServer {
  ask(): Promise<Session | null>
  end(): Promise<void>
}

/** The session state of this browser, in the order of requests, not of responses. */
export function createSessionStore(server: SessionServer): SessionStore {
  const state = shallowRef<SessionState>({ status: 'loading' })
  const elsewhere = shallowRef<Session>()
  let generation = 0
  let inFlight: Promise<void> | undefined
  /** Until the next answer counts: a check that begins meanwhile replaces the request, not the wish. */
  let isFollowing = false

  function settle(next: SessionState): void {
    generation++
    inFlight = undefined
    isFollowing = false
    state.value = next
  }

  async function ask(mine: number): Promise<void> {
    const next = await server.ask().then(toState, reason => afterFailure(state.value, reason))
    if (mine !== generation) return
    elsewhere.value = isFollowing ? undefined : sessionElsewhere(state.value, next)
    settle(elsewhere.value ? state.value : next)
  }

  function check(): Promise<void> {
    inFlight = ask(++generation)
    return inFlight
  }

  return {
    state: readonly(state),
    elsewhere: readonly(elsewhere),
    check,
    follow() {
      isFollowing = true
      return check()
    },
    recheck: () => inFlight ?? check(),
    async signOut() {
      await server.end()
      settle({ status: 'signed-out' })
    },
    acceptSignOut: () => settle({ status: 'signed-out' }),
  }
}

const toState = (session: Session | null): SessionState =>
  session ? { status: 'signed-in', session } : { status: 'signed-out' }

/** The session of the same user in another organization. The page does not follow: its input is for the one before. */
function sessionElsewhere(known: SessionState, next: SessionState): Session | undefined {
  if (known.status !== 'signed-in' || next.status !== 'signed-in') return undefined
  const from = workingIn(known.session)
  const isMoved = from && from !== workingIn(next.session) && known.session.userId === next.session.userId
  return isMoved ? next.session : undefined
}

/**
 * A failed check keeps the signed-in user, so that a short outage loses no input; not when the organization in the address is
 * closed to them (404).
 */
const afterFailure = (known: SessionState, reason: unknown): SessionState =>
  known.status === 'signed-in' && (reason as { status?: number }).status !== 404
    ? known
    : { status: 'unreachable', reason }
