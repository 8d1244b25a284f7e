// The handlers of an author's own routes: their context, and routes that anyone may call.
import { defineEventHandler, type EventHandler, type H3Event } from 'h3'
import { z } from 'zod'
import type { ActionTypes } from '#fw/action-types'
import { checkGuard, checkOrgOpens, type Proving } from '#fairway/server/domains/organizations'
import { admitWrites, getSession, hasRecentSignIn, requireSession } from '#fairway/server/domains/sessions'
import { getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { requireRun, withRun } from '#fairway/server/kernel/current-run'
import { parseDeclaration } from '#fairway/server/kernel/declaration'
import { requestInfo, requestPath, requestSignal } from '#fairway/server/kernel/http/request-info'
import { limitCalls, limitOption, type LimitOption } from '#fairway/server/kernel/limits/call-limits'
import type { Session } from '#fairway/shared/schemas/session'
import { type AuthorContext, authorContext } from './author-context'
import { runNamed } from './run-action'

type SessionFor<Public extends boolean> = Public extends true ? Session | null : Session

interface RouteOptions<Public extends boolean, Proof> {
  /** `true` lets callers without a session in. */
  public?: Public
  /** Must return (or resolve to) exactly `true`; everything else denies. */
  guard?: ((context: AuthorContext<SessionFor<Public>>) => unknown) & Proving<Proof>
  /**
   * `view` opens the route while an operator views the application as the person; it must change nothing. `setup` opens it to
   * people who must first set up a second factor or accept the terms; `public` does so too.
   */
  openIn?: readonly ('view' | 'setup')[]
}

/** The context of a route. */
export type RouteContext<S extends Session | null = Session> = AuthorContext<S> & {
  /**
   * Runs an action as the caller of the route: guard, limit, input, run, output, audit. Throws the action's errors, and
   * `unknown-action` for a name that is not declared.
   */
  run<Name extends keyof ActionTypes & string>(
    name: Name,
    input: ActionTypes[Name]['input'],
  ): Promise<ActionTypes[Name]['output']>
}

/**
 * Returns the context that an action gets, and `run` for actions, for a route of a signed-in person. Throws `unauthenticated`
 * without a session, and `provider-required` when the organization requires a sign-in provider. With `public` the session may be
 * null instead. A guard must return exactly `true`, else it throws `forbidden`; errors of the guard are passed on, and the context
 * includes what the guard proves.
 */
export async function useFairway<Public extends boolean = false, Proof = unknown>(
  event: H3Event,
  options: RouteOptions<Public, Proof> = {},
): Promise<RouteContext<SessionFor<Public>> & Proof> {
  const { openIn = [] } = options
  event.context.openIn = options.public ? [...openIn, 'setup'] : openIn
  const session = options.public ? await getSession(event) : await requireSession(event)
  if (!event.context.openIn.includes('setup')) checkOrgOpens(session)
  const app = getApp(event)
  const call = { session, signal: requestSignal(event), requestId: getRequestId(event) }
  const caller = {
    ...call,
    caller: 'http',
    clientAddress: requestInfo(event).clientAddress,
    hasRecentSignIn: () => hasRecentSignIn(event),
  } as const
  const run = (name: string, input: unknown) => runNamed(app, { ...caller, name, input })
  const context = { ...authorContext(app, call), run } as RouteContext<SessionFor<Public>> & Proof
  if (options.guard) await checkGuard(options.guard, context)
  return context
}

interface PublicRouteOptions {
  /** The call limit, as for an action. Use `per: 'network'` for callers who are not signed in. */
  limit?: LimitOption
  /** `view` opens the route while an operator views the application as a person; it must change nothing. */
  openIn?: readonly 'view'[]
}

const publicRouteSchema = z.strictObject({ limit: limitOption, openIn: z.array(z.literal('view')).default([]) })

/**
 * Declares the handler of a route that anyone may call, including to change data. The declaration is explicit, because no other
 * route can write without a session. Beyond the limit it answers `rate-limited` with `Retry-After`. Throws at
 * load for an invalid limit.
 */
export function definePublicRoute(
  handler: (event: H3Event) => unknown,
  options: PublicRouteOptions = {},
): EventHandler {
  const { limit, openIn } = parseDeclaration('definePublicRoute', publicRouteSchema, options)
  return defineEventHandler(async event => {
    admitWrites(event)
    event.context.openIn = [...openIn, 'setup']
    if (limit.length === 0) return handler(event)
    const { clientAddress } = requestInfo(event)
    const name = `route:${event.method} ${event.context.matchedRoute?.path ?? requestPath(event)}`
    await limitCalls(getApp(event), name, limit, { session: await getSession(event), clientAddress })
    return withRun({ ...requireRun(), isLimited: true }, () => handler(event))
  })
}

/**
 * Returns the handler of a route that runs for signed-in people only. The build puts it around routes (`routes.requireSession`).
 *
 * @public
 */
export const requireSessionFirst = (handler: (event: H3Event) => unknown): EventHandler =>
  defineEventHandler(async event => {
    await requireSession(event)
    return handler(event)
  })
