import { getRouterParams, type H3Event } from 'h3'
import { getSession } from '#server/domains/sessions'
import { getApp, getRequestId } from '#server/foundation/app-context'
import { recordAudit } from './record-audit'

/** A handler that leaves an audit row of this name, whatever comes of it: for routes that change something and are no actions. */
export function audited<T>(action: string, answer: (event: H3Event) => Promise<T>): (event: H3Event) => Promise<T> {
  return async event => {
    const session = await getSession(event)
    const record = (error?: unknown) => {
      const input = { ...getRouterParams(event, { decode: true }), ...Object(event.context.input) }
      const requestId = getRequestId(event)
      return recordAudit(getApp(event), { action, caller: 'http', session, requestId, input, error })
    }
    try {
      const result = await answer(event)
      await record()
      return result
    } catch (error) {
      await record(error)
      throw error
    }
  }
}
