import type { ActionFailure } from '../request/action-failure'
import { callOperation, isReading, operationName, type OperationArgs, type OperationName } from '../request/operations'
import { toActionFailure } from '../request/send-json'

const OF_SESSION = ['provider-required', 'terms-due', 'organization-changed', 'no-such-organization']

/** Whether a failure shows that the session has ended or changed in the meantime. The frame decides how to continue. */
export const isOfSession = ({ status, code }: ActionFailure): boolean => status === 401 || OF_SESSION.includes(code)

/**
 * The state of one kind of request: `run` returns the response or throws ActionFailure, `attempt` returns whether it succeeded.
 * The refs follow the newest run; `clear` resets its error.
 */
export function useRequest<Args extends unknown[], Output>(send: (...args: Args) => Promise<Output>) {
  const { check } = useSession()
  const pending = ref(false)
  const error = shallowRef<ActionFailure>()
  const result = shallowRef<Output>()
  let newest = 0

  async function run(...args: Args): Promise<Output> {
    const mine = ++newest
    pending.value = true
    try {
      const output = await send(...args)
      if (mine === newest) {
        result.value = output
        error.value = undefined
      }
      return output
    } catch (thrown) {
      const failure = toActionFailure(thrown)
      if (mine === newest) error.value = failure
      if (isOfSession(failure)) void check()
      throw failure
    } finally {
      if (mine === newest) pending.value = false
    }
  }

  const attempt = (...args: Args): Promise<boolean> =>
    run(...args).then(
      () => true,
      () => false,
    )

  const clear = () => void (error.value = undefined)

  return {
    run,
    attempt,
    clear,
    pending: readonly(pending),
    error: shallowReadonly(error),
    result: shallowReadonly(result),
  }
}

/** The most recent successful action of this page. Lists that it may have changed watch it. */
export const useDoneAction = () => useState<{ name: string } | undefined>('done-action', () => undefined)

/**
 * One operation of the platform, typed by its declaration: `run` returns the output or throws ActionFailure. `pending`, `error`
 * and `result` follow the newest run.
 */
export function useOperation<Name extends OperationName>(name: Name) {
  const done = useDoneAction()
  return useRequest(async (...args: OperationArgs<Name>) => {
    const output = await callOperation(name, ...args)
    // Every list watches the latest operation, and a read has changed nothing.
    if (!isReading(name)) done.value = { name: operationName(name) }
    return output
  })
}
