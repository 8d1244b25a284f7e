import type { ActionTypes } from '#fw/action-types'
import texts from '#build/texts/embed'
import { takeEmbedToken } from '../embed/embed-token'
import type { ActionFailure } from '../request/action-failure'
import { callAction, toActionFailure } from '../request/send-json'

type ActionName = keyof ActionTypes & string

/**
 * One action as an embed page reads it after mounting, with the page's own token and without cookies. `access` states whether the
 * page may (still) read.
 */
export function useEmbedAction<Name extends ActionName>(name: Name) {
  useTexts(texts)
  const access = ref<'open' | 'missing' | 'ended'>('open')
  const error = shallowRef<ActionFailure>()
  const result = shallowRef<ActionTypes[Name]['output']>()

  async function run(input: ActionTypes[Name]['input']): Promise<void> {
    const bearer = takeEmbedToken(window)
    if (bearer === undefined) {
      access.value = 'missing'
      return
    }
    try {
      // The server has validated the result against the schema of this type.
      result.value = (await callAction(name, input, { bearer })) as ActionTypes[Name]['output']
      error.value = undefined
    } catch (thrown) {
      const failure = toActionFailure(thrown)
      if (failure.status === 401) access.value = 'ended'
      else error.value = failure
    }
  }

  return { run, access: readonly(access), error: shallowReadonly(error), result: shallowReadonly(result) }
}
