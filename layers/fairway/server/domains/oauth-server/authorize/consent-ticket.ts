import { lte } from 'drizzle-orm'
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import { seal, unseal, UnsealError } from '#fairway/server/kernel/crypto/seal'
import { SUPPORTED_SCOPES } from '#fairway/shared/scopes'
import { oauthUsedTickets } from '../tables'
import type { AuthorizeRequest } from './authorize-request'

const LIFE_IN_MS = 10 * 60 * 1000
const SEAL_PURPOSE = 'oauth-consent'
const CONTEXT = 'consent-ticket'

const ticketSchema = z.object({
  id: z.string(),
  userId: z.string(),
  /** Null where sessions are not ours. */
  sessionId: z.string().nullable(),
  /** The query of the page's address, to the letter. */
  query: z.string(),
  expiresAt: z.number(),
  clientId: z.string(),
  clientName: z.string(),
  redirectUri: z.string(),
  state: z.string().optional(),
  scopes: z.array(z.enum(SUPPORTED_SCOPES)),
  resource: z.string(),
  codeChallenge: z.string(),
})

/** What a person was shown and may decide, once, within ten minutes. */
export type ConsentTicket = z.output<typeof ticketSchema>

interface Visit {
  userId: string
  sessionId: string | null
  query: string
}

/** A ticket for the consent page of this person at this address: sealed, so nobody else can write or read it. */
export function issueTicket(app: App, visit: Visit, request: AuthorizeRequest, clientName: string): string {
  const { client, redirectUri, state, scopes, resource, codeChallenge } = request
  const ticket: ConsentTicket = {
    ...visit,
    id: newId(),
    expiresAt: app.now().getTime() + LIFE_IN_MS,
    clientId: client.id,
    clientName,
    redirectUri,
    state,
    scopes,
    resource,
    codeChallenge,
  }
  return seal(app.config.keys, SEAL_PURPOSE, JSON.stringify(ticket), CONTEXT)
}

/** Reads a ticket; null when it is not ours, too old, or of another person, session or address. An empty query stands for the ticket's own. */
export function readTicket(app: App, sealed: string, visit: Visit): ConsentTicket | null {
  const ticket = unsealTicket(app, sealed)
  if (!ticket || ticket.expiresAt <= app.now().getTime()) return null
  const isTheirs = ticket.userId === visit.userId && ticket.sessionId === visit.sessionId
  return isTheirs && (visit.query === '' || ticket.query === visit.query) ? ticket : null
}

/** Uses a ticket up: of any number of calls at once, one gets true. */
export async function spendTicket(
  app: App,
  { id, expiresAt }: Pick<ConsentTicket, 'id' | 'expiresAt'>,
): Promise<boolean> {
  const { rowsAffected } = await app.db.client.execute({
    sql: 'insert into oauth_used_tickets (id, expires_at) values (?, ?) on conflict do nothing',
    args: [id, expiresAt],
  })
  return rowsAffected === 1
}

/** Deletes the marks of tickets that have ended. */
export async function purgeUsedTickets(app: App): Promise<void> {
  await app.db.orm.delete(oauthUsedTickets).where(lte(oauthUsedTickets.expiresAt, app.now()))
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
