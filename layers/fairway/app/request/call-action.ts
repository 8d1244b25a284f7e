import * as z from 'zod/mini'
import { actionPath } from '#fairway/shared/paths'
import { ActionFailure } from './action-failure'
import { sendJson } from './send-json'

const envelopeSchema = z.object({ result: z.unknown() })

/** Calls one declared action over HTTP and gives its result; throws ActionFailure. */
export async function callAction(name: string, input: unknown, options: { bearer?: string } = {}): Promise<unknown> {
  const answer = await sendJson(actionPath(name), { ...options, method: 'POST', body: input })
  return envelopeSchema.parse(answer).result
}

/** Any thrown value as an ActionFailure. */
export const toActionFailure = (thrown: unknown): ActionFailure =>
  thrown instanceof ActionFailure
    ? thrown
    : new ActionFailure({ kind: 'problem', code: 'unreadable-answer' }, { cause: thrown })
