import { readonly, shallowRef, type DeepReadonly, type ShallowRef } from 'vue'
import type { Session } from '#fairway/shared/schemas/session'

export type SessionState =
  | { status: 'loading' }
  | { status: 'signed-in'; session: Session }
  | { status: 'signed-out' }
  | { status: 'unreachable'; reason: unknown }

export interface SessionStore {
  state: DeepReadonly<ShallowRef<SessionState>>
  /** Asks the server anew; an answer that was overtaken by a newer question or a sign-out is dropped. */
  check(): Promise<void>
  /** As `check`, but joins a question that is already on its way. */
  recheck(): Promise<void>
  /** Ends the session on the server and here; throws when the server did not confirm it. */
  signOut(): Promise<void>
  /** Takes over a sign-out that happened in another tab. */
  acceptSignOut(): void
}

export interface SessionServer {
  ask(): Promise<Session | null>
  end(): Promise<void>
}

/** What this browser knows about its session, in order of the questions, not of the answers. */
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

/** Who was signed in stays on the page when a later check fails: nothing they typed is lost to a short outage. */
const afterFailure = (known: SessionState, reason: unknown): SessionState =>
  known.status === 'signed-in' ? known : { status: 'unreachable', reason }
