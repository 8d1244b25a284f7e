import type { EventHandler, H3Event } from 'h3'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { defineMethods, defineRoute } from '#fairway/server/kernel/http/methods'
import { type Method, METHODS } from './address'

export type Answer = (event: H3Event) => unknown

/** What answers one method of a path. */
export interface Served {
  method: Method
  path: string
  /** Whether this installation has it. */
  isThere?(event: H3Event): Promise<boolean>
  answer: Answer
}

/** One handler for the addresses of all operations and actions. */
export function serveAddresses(served: readonly Served[]): EventHandler {
  const byPath = new Map(
    [...Map.groupBy(served, ({ path }) => path)].map(([path, atPath]) => [
      path,
      defineMethods(
        Object.fromEntries(
          METHODS.flatMap(method =>
            atPath.filter(each => each.method === method).map(({ answer }) => [method, answer] as const),
          ),
        ),
        { isThere: event => someIsThere(event, atPath) },
      ),
    ]),
  )
  return defineRoute([], event => {
    const answer = byPath.get(event.context.matchedRoute?.path ?? '')
    if (!answer) throw new AppError('not-found')
    return answer(event)
  })
}

/** Whether this installation has what the request asks for; for a method that nothing answers, whether it has anything here. */
async function someIsThere(event: H3Event, served: readonly Served[]): Promise<boolean> {
  const ofMethod = served.filter(({ method }) => method === (event.method === 'HEAD' ? 'GET' : event.method))
  for (const { isThere } of ofMethod.length > 0 ? ofMethod : served) if (!isThere || (await isThere(event))) return true
  return false
}
