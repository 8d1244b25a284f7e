import { type H3Event, defineEventHandler, type EventHandler } from 'h3'
import { z } from 'zod'
import { personSettings, personState, type PersonValues } from '#fairway/server/domains/people'
import { getAccessToken, getMachineToken } from '#fairway/server/domains/oauth-client'
import { checkGuard, checkOrgOpens, type Proving, requireCredential } from '#fairway/server/domains/organizations'
import { type App, getApp, getRequestId } from '#fairway/server/kernel/app-context'
import type { Orm } from '#fairway/server/kernel/database/client'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import { getSession, requireSession } from '#fairway/server/domains/sessions'
import { parseDeclaration } from '#fairway/server/kernel/declaration'
import { requestInfo, requestPath, requestSignal } from '#fairway/server/kernel/http/request-info'
import { limitCalls, limitOption, type LimitOption } from '#fairway/server/kernel/limits/call-limits'
import { findRun } from '#fairway/server/kernel/current-run'
import { contextPeers, type ContextPeers } from '#fairway/server/domains/peers'

/** What an author's code has in hand, whatever it answers: an action, a route, a collection, something that MCP hosts see. */
export interface AuthorContext<S extends Session | null = Session> {
  /** Who calls; null only in what is public. */
  session: S
  /** The active organization of the caller. */
  orgId: string | null
  db: Orm
  /** Aborted when the time is up or the caller has gone. */
  signal: AbortSignal
  requestId: string
  /** The address of the caller's network, behind trusted proxies; null where another application, a job or the command line calls. */
  clientAddress: string | null
  /** Tokens of external providers that an author asks for. */
  tokens: {
    /** An access token of the caller, good for five more minutes; throws `connection-required` with the place to connect. */
    get(provider: string): Promise<string>
    /** An access token of this application itself. */
    machine(provider: string): Promise<string>
  }
  /** Credentials of the vault that an author asks for. */
  credentials: {
    /** The caller's own, else their organization's; throws `credential-required` with the place to add it. */
    get(key: string): Promise<string>
  }
  peers: ContextPeers
  /** What the application remembers for the caller in the organization they work in. */
  state: PersonValues
  /** What the caller has set for themselves, wherever they work. */
  settings: PersonValues
  now(): Date
}

/** For whom, and until when, an author's code runs. */
export interface AuthorCall<S extends Session | null> {
  session: S
  signal: AbortSignal
  requestId: string
}

/** Makes what an author's code has in hand; nothing is read before it is asked for, and the signal ends what goes over the network to other applications. */
export const authorContext = <S extends Session | null>(app: App, call: AuthorCall<S>): AuthorContext<S> => {
  const { session, signal, requestId } = call
  return {
    session,
    orgId: session?.orgId ?? null,
    db: app.db.orm,
    signal,
    requestId,
    clientAddress: findRun()?.clientAddress ?? null,
    now: app.now,
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
}

/**
 * What an action gets, for a route: of the person who is signed in. Throws `unauthenticated` without a session and
 * `provider-required` where their organization does not open to it; with `public` the session may be null instead. With a guard it
 * throws what that throws, or `forbidden` unless it gives exactly `true`, and has what the guard proves.
 */
export async function useFairway<Public extends boolean = false, Proof = unknown>(
  event: H3Event,
  options: RouteOptions<Public, Proof> = {},
): Promise<AuthorContext<SessionFor<Public>> & Proof> {
  const session = options.public ? await getSession(event) : await requireSession(event)
  if (!options.public) checkOrgOpens(session)
  const call = { session, signal: requestSignal(event), requestId: getRequestId(event) }
  const context = authorContext(getApp(event), call) as AuthorContext<SessionFor<Public>> & Proof
  if (options.guard) await checkGuard(options.guard, context)
  return context
}

interface PublicRouteOptions {
  /** How often it may be called, as for an action; `per: 'network'` for callers who are not signed in. */
  limit?: LimitOption
}

/**
 * The handler of a route that anyone may call, also to change something: said on purpose, because the build refuses such a route that
 * neither says it nor asks for a session. With a limit it answers `rate-limited` with `Retry-After` beyond it. Throws at load for a
 * limit that is none.
 */
export function definePublicRoute(
  handler: (event: H3Event) => unknown,
  options: PublicRouteOptions = {},
): EventHandler {
  const { limit } = parseDeclaration('definePublicRoute', z.strictObject({ limit: limitOption }), options)
  if (limit.length === 0) return defineEventHandler(handler)
  return defineEventHandler(async event => {
    const { clientAddress } = requestInfo(event)
    const name = `route:${event.method} ${event.context.matchedRoute?.path ?? requestPath(event)}`
    await limitCalls(getApp(event), name, limit, { session: await getSession(event), clientAddress })
    return handler(event)
  })
}
