// The state of an authorization request between two visits: the ticket of a consent page, and a request that waits for a sign-in.
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import { seal, unseal, UnsealError } from '#fairway/server/kernel/crypto/seal'
import {
  claimOneTime,
  issueStatements,
  type OneTimePurpose,
  peekOneTime,
} from '#fairway/server/kernel/one-time/one-time'
import { OAUTH_AUTHORIZE_PATH } from '#fairway/shared/paths'
import { safeReturnPath } from '#fairway/shared/return-path'
import { SUPPORTED_SCOPES } from '#fairway/shared/scopes'
import { signInPathFor } from '#fairway/shared/sign-in-path'
import type { AuthorizeRequest } from './authorize-request'

const TICKET_LIFE_IN_MS = 10 * 60 * 1000
const SEAL_PURPOSE = 'oauth-consent'
const CONTEXT = 'consent-ticket'

const ticketSchema = z.object({
  id: z.string(),
  userId: z.string(),
  /** Null when the sessions are not Fairway's. */
  sessionId: z.string().nullable(),
  /** The query of the page's address, unchanged. */
  query: z.string(),
  expiresAt: z.number(),
  clientId: z.string(),
  clientName: z.string(),
  /** Whether the client must authenticate at the token endpoint. */
  mustSign: z.boolean().default(false),
  redirectUri: z.string(),
  state: z.string().optional(),
  scopes: z.array(z.enum(SUPPORTED_SCOPES)),
  resource: z.string(),
  codeChallenge: z.string(),
  /** The hash of a device code, its end in milliseconds and the address that asked. */
  device: z.object({ hash: z.string(), expiresAt: z.number(), askedFrom: z.string() }).optional(),
})

/** The request that a person was shown and may decide, once, within ten minutes. */
export type ConsentTicket = z.output<typeof ticketSchema>

/**
 * Issues a ticket for the consent page of this person at this address. It is sealed, so only this server can write and read it.
 */
export function issueTicket(
  app: App,
  visit: Pick<ConsentTicket, 'userId' | 'sessionId' | 'query'>,
  request: AuthorizeRequest,
  clientName: string,
): string {
  const { client, redirectUri, state, scopes, resource, codeChallenge, device } = request
  const ticket: ConsentTicket = {
    ...visit,
    id: newId(),
    expiresAt: app.now().getTime() + TICKET_LIFE_IN_MS,
    clientId: client.id,
    clientName,
    mustSign: client.signing?.isRequired ?? client.orgId !== undefined,
    redirectUri,
    state,
    scopes,
    resource,
    codeChallenge,
    device: device && { hash: device.hash, expiresAt: device.expiresAt, askedFrom: device.askedFrom },
  }
  return seal(app.config.keys, SEAL_PURPOSE, JSON.stringify(ticket), CONTEXT)
}

/**
 * Reads a ticket; null when it is invalid, expired, or of another person, session or address. An empty query matches any ticket.
 */
export function readTicket(
  app: App,
  sealed: string,
  { userId, sessionId, query }: Pick<ConsentTicket, 'userId' | 'sessionId' | 'query'>,
): ConsentTicket | null {
  const ticket = unsealTicket(app, sealed)
  if (!ticket || ticket.expiresAt <= app.now().getTime()) return null
  const isTheirs = ticket.userId === userId && ticket.sessionId === sessionId
  return isTheirs && (query === '' || ticket.query === query) ? ticket : null
}

function unsealTicket(app: App, sealed: string): ConsentTicket | null {
  try {
    const parsed = ticketSchema.safeParse(JSON.parse(unseal(app.config.keys, SEAL_PURPOSE, sealed, CONTEXT)))
    return parsed.success ? parsed.data : null
  } catch (error) {
    if (error instanceof UnsealError) return null
    throw error
  }
}

/** Spends a ticket: of all concurrent calls, one returns true. */
export const spendTicket = (app: App, { id, expiresAt }: Pick<ConsentTicket, 'id' | 'expiresAt'>): Promise<boolean> =>
  claimOneTime(app, { name: 'oauth-consent-ticket' }, id, new Date(expiresAt))

/** Authorization requests that are too long for the sign-in page's address or wait for a new sign-in; kept for an hour. */
const pendingRequest: OneTimePurpose<{ query: string }> = {
  name: 'oauth-pending-request',
  lifeInSeconds: 60 * 60,
  payload: z.object({ query: z.string() }),
}
const PENDING = '?pending='

interface SignInFirst {
  /** The path of this page; default: that of the authorization endpoint. */
  path?: string
  /** The query of this page's address. */
  query: string
  /** Whether a signed-in person must sign in again. */
  again?: boolean
  /** Whether the time of the request counts, so that a new sign-in must come after it. */
  timed?: boolean
}

/** Returns the address of the sign-in page that leads back to this request, however long it is. */
export async function signInFirst(app: App, { path, query, again, timed }: SignInFirst): Promise<string> {
  const target = (path ?? OAUTH_AUTHORIZE_PATH) + query
  // A request that the sign-in page would reject as a return path (too long, unusual characters) is stored here.
  const survives = safeReturnPath(target, app.config.baseUrl) !== '/'
  const mustKeep = !survives || (timed && !query.startsWith(PENDING))
  const returnPath = mustKeep ? await keepRequest(app, query) : target
  return signInPathFor({ returnPath, again })
}

async function keepRequest(app: App, query: string): Promise<string> {
  const { secret, statements } = issueStatements(app, pendingRequest, { payload: { query } })
  await app.db.client.batch(statements, 'write')
  return OAUTH_AUTHORIZE_PATH + PENDING + secret
}

/**
 * Returns the request of a query, or the stored one that it names, with the time in `keptAt`. Null when the stored one has
 * expired after its hour.
 */
export async function findRequest(app: App, query: string): Promise<{ query: string; keptAt?: Date } | null> {
  if (!query.startsWith(PENDING)) return { query }
  const pending = await peekOneTime(app, pendingRequest, query.slice(PENDING.length))
  return pending && !pending.isExpired ? { query: pending.payload.query, keptAt: pending.createdAt } : null
}
