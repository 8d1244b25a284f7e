import type { ActionFailure } from '../request/action-failure'
import { toActionFailure } from '../request/send-json'

interface LoadOptions<Answer> {
  ask: (signal: AbortSignal) => Promise<Answer>
  /** Shows the answer. */
  take: (answer: Answer) => void
  /** Nobody has asked for it: neither waiting nor a failure is shown. */
  isQuiet?: boolean
}

/**
 * Asking for what is kept as it is on the server: a newer request gives the older one up, and the last good answer stays. `isFinal` says
 * of a failure whether it is shown even where nobody has asked.
 */
export function useKeptRequest(isFinal: (failure: ActionFailure) => boolean = () => false) {
  const { check } = useSession()
  const status = ref<'idle' | 'pending' | 'success' | 'error'>('idle')
  const error = shallowRef<ActionFailure>()
  /** When what is shown was asked for (`performance.now()`). */
  const readAt = ref(Number.NEGATIVE_INFINITY)
  let askedAt = Number.NEGATIVE_INFINITY
  let running: AbortController | undefined

  /** True when the answer is shown, false when it failed or is no longer wanted. */
  async function load<Answer>({ ask, take, isQuiet = false }: LoadOptions<Answer>): Promise<boolean> {
    running?.abort()
    const { signal } = (running = new AbortController())
    const mine = (askedAt = performance.now())
    if (!isQuiet) status.value = 'pending'
    try {
      const answer = await ask(signal)
      if (signal.aborted) return false
      take(answer)
      error.value = undefined
      status.value = 'success'
      readAt.value = mine
      return true
    } catch (thrown) {
      if (!signal.aborted) fail(toActionFailure(thrown), isQuiet)
      return false
    }
  }

  function fail(failure: ActionFailure, isQuiet: boolean): void {
    // The session may have ended meanwhile; the gate decides what to do then.
    if (failure.status === 401) void check()
    if (!isFinal(failure) && isQuiet) return
    error.value = failure
    status.value = 'error'
  }

  function forget(): void {
    running?.abort()
    error.value = undefined
    status.value = 'idle'
  }

  onScopeDispose(() => running?.abort())
  return { status, error, readAt: readonly(readAt), askedAt: () => askedAt, load, forget }
}
