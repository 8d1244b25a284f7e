import { getRouterParam, type H3Event } from 'h3'
import { requireSession } from '#fairway/server/domains/sessions'
import { type App, getApp } from '#fairway/server/kernel/app-context'

/** What the function of a route for signed-in people is given. */
interface SignedInRequest {
  app: App
  session: Awaited<ReturnType<typeof requireSession>>
  event: H3Event
  /** The parameters of the route's path as they were sent; empty where the path has none of this name. */
  param(name: string): string
}

/** The function of a route that answers signed-in people alone; throws `unauthenticated` for everyone else before it does anything. */
export const signedIn =
  <T>(answer: (request: SignedInRequest) => T | Promise<T>) =>
  async (event: H3Event): Promise<T> => {
    const session = await requireSession(event)
    return answer({ app: getApp(event), session, event, param: name => getRouterParam(event, name) ?? '' })
  }
