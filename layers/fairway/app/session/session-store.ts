import { readonly, shallowRef, type DeepReadonly, type ShallowRef } from 'vue'
import type { Session } from '#fairway/shared/schemas/session'

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
  let generation = 0
  let inFlight: Promise<void> | undefined

  function settle(next: SessionState): void {
    generation++
    inFlight = undefined
    state.value = next
  }

  async function ask(mine: number): Promise<void> {
    const next = await server.ask().then(toState, reason => afterFailure(state.value, reason))
    if (mine === generation) settle(next)
  }

  function check(): Promise<void> {
    inFlight = ask(++generation)
    return inFlight
  }

  return {
    state: readonly(state),
    check,
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

/** A failed check keeps the signed-in user, so that a short outage loses no input. */
const afterFailure = (known: SessionState, reason: unknown): SessionState =>
  known.status === 'signed-in' ? known : { status: 'unreachable', reason }
