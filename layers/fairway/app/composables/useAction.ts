import type { ActionTypes } from '#fw/action-types'
import { type OptimisticChange, useOptimistic } from '../collections/optimistic'
import { callAction } from '../request/send-json'

type ActionName = keyof ActionTypes & string

interface UseActionOptions<Name extends ActionName> {
  /** The expected rows after success. Lists and items show them immediately, and revert on failure. */
  optimistic?: (input: ActionTypes[Name]['input']) => OptimisticChange | readonly OptimisticChange[]
}

/**
 * One declared action, typed by its declaration. `run` returns the result or throws ActionFailure; `pending`, `error` and
 * `result` follow the newest run.
 */
export function useAction<Name extends ActionName>(name: Name, { optimistic }: UseActionOptions<Name> = {}) {
  type Input = ActionTypes[Name]['input']
  type Output = ActionTypes[Name]['output']
  const done = useDoneAction()
  const { during } = useOptimistic()
  return useRequest(async (input: Input) => {
    const changes = optimistic ? [optimistic(input)].flat() : []
    const result = await during(changes, () => callAction(name, input))
    done.value = { name }
    // The server has validated the result against the schema of this type.
    return result as Output
  })
}
