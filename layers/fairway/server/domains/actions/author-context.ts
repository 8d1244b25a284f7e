import { personSettings, personState, type PersonValues } from '#fairway/server/domains/people'
import { getAccessToken, getMachineToken } from '#fairway/server/domains/oauth-client'
import { checkOrgOpens, requireCredential } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { authorDb } from '#fairway/server/kernel/database/author-database'
import type { Orm } from '#fairway/server/kernel/database/client'
import { noteUnfollowed } from '#fairway/server/kernel/database/followed-reads'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import { findRun } from '#fairway/server/kernel/current-run'
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
      get: async provider => getAccessToken(app, person(session).userId, provider),
      machine: async provider => getMachineToken(app, provider),
    },
    credentials: { get: async key => requireCredential(app, caller(session), key) },
    peers: contextPeers(app, session, signal),
    state: personState(app, () => {
      const { serviceAccount, userId, orgId } = caller(session)
      checkOrgOpens(session)
      return { userId: serviceAccount?.id ?? userId, orgId }
    }),
    settings: personSettings(app, () => person(session)),
  }
}

/** The caller, who is a person. A service account has no connections and settings, and never uses those of its owner of record. */
function person(session: Session | null): Session {
  const { serviceAccount } = caller(session)
  if (serviceAccount) throw new AppError('forbidden', { detail: 'A service account has no settings and connections.' })
  return caller(session)
}

function caller(session: Session | null): Session {
  if (!session) throw new AppError('unauthenticated')
  return session
}
