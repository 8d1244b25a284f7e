import type { ActionFailure } from '../request/action-failure'
import { toActionFailure } from '../request/send-json'
import { isOfSession } from './useRequest'

interface LoadOptions<Answer> {
  ask: (signal: AbortSignal) => Promise<Answer>
  /** Shows the response. */
  take: (answer: Answer) => void
  /** A background request: shows no loading state and no failure. */
  isQuiet?: boolean
}

/**
 * Requests data that is kept up to date. A newer request aborts the older one, and the previous successful response stays.
 * `isFinal` decides whether a failure is shown even for a background request.
 */
export function useKeptRequest(isFinal: (failure: ActionFailure) => boolean = () => false) {
  const { check } = useSession()
  const status = ref<'idle' | 'pending' | 'success' | 'error'>('idle')
  const error = shallowRef<ActionFailure>()
  /** When the shown data was requested (`performance.now()`). */
  const readAt = ref(Number.NEGATIVE_INFINITY)
  let askedAt = Number.NEGATIVE_INFINITY
  let running: AbortController | undefined

  /** Returns true when the response is shown, false when it failed or was superseded. */
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
    if (isOfSession(failure)) void check()
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
