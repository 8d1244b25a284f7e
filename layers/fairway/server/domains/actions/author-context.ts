import { type H3Event, defineEventHandler, type EventHandler } from 'h3'
import { z } from 'zod'
import { personSettings, personState, type PersonValues } from '#fairway/server/domains/people'
import { getAccessToken, getMachineToken } from '#fairway/server/domains/oauth-client'
import { checkGuard, checkOrgOpens, type Proving, requireCredential } from '#fairway/server/domains/organizations'
import { type App, getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { authorDb } from '#fairway/server/kernel/database/author-database'
import type { Orm } from '#fairway/server/kernel/database/client'
import { noteUnfollowed } from '#fairway/server/kernel/database/followed-reads'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import { admitWrites, getSession, requireSession } from '#fairway/server/domains/sessions'
import { parseDeclaration } from '#fairway/server/kernel/declaration'
import { requestInfo, requestPath, requestSignal } from '#fairway/server/kernel/http/request-info'
import { limitCalls, limitOption, type LimitOption } from '#fairway/server/kernel/limits/call-limits'
import { findRun, requireRun, withRun } from '#fairway/server/kernel/current-run'
import { contextPeers, type ContextPeers } from '#fairway/server/domains/peers'

/** The context of all author code: actions, routes, collections, and resources for MCP hosts. */
export interface AuthorContext<S extends Session | null = Session> {
  /** The caller; null only in public code. */
  session: S
  /** The active organization of the caller. */
  orgId: string | null
  db: Orm
  /** Aborted when the timeout is reached or the caller disconnects. */
  signal: AbortSignal
  requestId: string
  /**
   * The address of the caller's network, behind trusted proxies. Null when another application, a job or the command line calls.
   */
  clientAddress: string | null
  /** Access tokens of external providers. */
  tokens: {
    /**
     * Returns an access token of the caller that is valid for at least five more minutes. Throws `connection-required` with the
     * address to connect at.
     */
    get(provider: string): Promise<string>
    /** Returns an access token of the application itself. */
    machine(provider: string): Promise<string>
  }
  /** Credentials of the vault. */
  credentials: {
    /** Returns the caller's credential, else the organization's. Throws `credential-required` with the address to add it at. */
    get(key: string): Promise<string>
  }
  peers: ContextPeers
  /** Values that the application stores for the caller in their active organization. */
  state: PersonValues
  /** The caller's settings, which apply in all organizations. */
  settings: PersonValues
  now(): Date
}

/** The person for whom an author's code runs, and its time limit. */
export interface AuthorCall<S extends Session | null> {
  session: S
  signal: AbortSignal
  requestId: string
}

/**
 * Creates the context of an author's code. Values are only read when the code uses them. The signal also aborts network requests
 * to other applications.
 */
export const authorContext = <S extends Session | null>(app: App, call: AuthorCall<S>): AuthorContext<S> => {
  const { session, signal, requestId } = call
  return {
    session,
    orgId: session?.orgId ?? null,
    db: authorDb(app),
    signal,
    requestId,
    clientAddress: findRun()?.clientAddress ?? null,
    now() {
      noteUnfollowed('the time')
      return app.now()
    },
    tokens: {
      get: async provider => getAccessToken(app, caller(session).userId, provider),
      machine: async provider => getMachineToken(app, provider),
    },
    credentials: { get: async key => requireCredential(app, caller(session), key) },
    peers: contextPeers(app, session, signal),
    state: personState(app, () => {
      const person = caller(session)
      checkOrgOpens(person)
      return person
    }),
    settings: personSettings(app, () => caller(session)),
  }
}

function caller(session: Session | null): Session {
  if (!session) throw new AppError('unauthenticated')
  return session
}

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

/**
 * Returns the context that an action gets, for a route of a signed-in person. Throws `unauthenticated` without a session, and
 * `provider-required` when the organization requires a sign-in provider. With `public` the session may be null instead. A guard
 * must return exactly `true`, else it throws `forbidden`; errors of the guard are passed on, and the context includes what the
 * guard proves.
 */
export async function useFairway<Public extends boolean = false, Proof = unknown>(
  event: H3Event,
  options: RouteOptions<Public, Proof> = {},
): Promise<AuthorContext<SessionFor<Public>> & Proof> {
  const { openIn = [] } = options
  event.context.openIn = options.public ? [...openIn, 'setup'] : openIn
  const session = options.public ? await getSession(event) : await requireSession(event)
  if (!event.context.openIn.includes('setup')) checkOrgOpens(session)
  const call = { session, signal: requestSignal(event), requestId: getRequestId(event) }
  const context = authorContext(getApp(event), call) as AuthorContext<SessionFor<Public>> & Proof
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
