import { z } from 'zod'
import { checkOrgOpens } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { randomToken } from '#fairway/server/kernel/crypto/random'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { DependentRows } from '#fairway/server/kernel/dependent-rows'
import { limits } from '#fairway/server/kernel/limits/limits'
import { rateLimit } from '#fairway/server/kernel/limits/rate-limit'
import {
  endOneTimeStatement,
  issueStatements,
  type OneTimePurpose,
  spendOneTime,
} from '#fairway/server/kernel/one-time/one-time'
import { EMBED_TOKEN_PREFIX } from '#fairway/shared/secrets'
import { EMBED_PATH, LEGACY_SIGN_IN_PATH, SIGN_IN_PATH } from '#fairway/shared/paths'
import { sameOriginPath } from '#fairway/shared/return-path'
import type { Session } from '#fairway/shared/schemas/session'
import { findEmbedPage, type ShellPage } from '../find-page'
import { embedTokens } from '../tables'
import { findEmbedSession } from './embed-session'

const TOKEN_LIFE_IN_MS = 60 * 60 * 1000

const boundSchema = z.object({
  userId: z.string(),
  /** The organization it works in; it opens nothing else. Null for a person who works without one. */
  orgId: z.string().nullable(),
  /** The session it was made in: it ends with it. Null where sessions are not ours. */
  sessionId: z.string().nullable(),
  /** The provider of that session, which the organization may ask for. */
  provider: z.string(),
  providerDomain: z.string().optional(),
  /** The page as it is declared, for example `/embed/notes`. */
  page: z.string(),
  /** The address of the page with its query. */
  path: z.string(),
})

/** What opens an embed page once, within five minutes, as one person in one organization. */
const embedTicket: OneTimePurpose<z.output<typeof boundSchema>> = {
  name: 'embed-ticket',
  lifeInSeconds: 5 * 60,
  payload: boundSchema,
}

export const ticketSchema = z.object({ path: z.string().min(1).max(2048) })

export interface Ticket {
  /** What the frame of the other site shows; it works once. */
  url: string
  expiresAt: string
}

interface TicketInput {
  path: string
  session: Session
  /** The row of this session, when sessions are ours. */
  sessionId: string | null
}

/** Makes a one-time ticket that opens one embed page as this person in this organization, for five minutes; throws `not-an-embed-page` and `provider-required`. */
export async function createTicket(
  app: App,
  { path, session, sessionId }: TicketInput,
  pages: readonly ShellPage[],
): Promise<Ticket> {
  const target = checkedTarget(path, app.config.baseUrl, pages)
  checkOrgOpens(session)
  const { userId, orgId, provider, providerDomain } = session
  await rateLimit(app, limits.embedTicketsPerAccount, userId)
  const payload = { ...target, userId, orgId, sessionId, provider, providerDomain }
  const { secret, expiresAt, statements } = issueStatements(app, embedTicket, { subject: userId, payload })
  await app.db.client.batch(statements, 'write')
  return { url: `${app.config.baseUrl}${EMBED_PATH}/start?ticket=${secret}`, expiresAt: expiresAt.toISOString() }
}

function checkedTarget(value: string, baseUrl: string, pages: readonly ShellPage[]): { page: string; path: string } {
  const path = sameOriginPath(value, baseUrl, [SIGN_IN_PATH, LEGACY_SIGN_IN_PATH])
  const url = path === undefined ? undefined : new URL(path, baseUrl)
  // The fragment is where the token goes.
  const page = url && !url.hash ? findEmbedPage(url.pathname, pages) : undefined
  if (!url || !page)
    throw new AppError('not-an-embed-page', { detail: 'Name the path of a page that declares embed: true.' })
  return { page: page.path, path: url.pathname + url.search }
}

/** Uses a ticket up and gives the page it opens with a token for one hour; of any number of requests one gets it. Throws `embed-ticket-ended`. */
export async function openTicket(app: App, ticket: string): Promise<{ path: string; token: string }> {
  const spent = await spendOneTime(app, embedTicket, ticket)
  if (!spent) throw new AppError('embed-ticket-ended')
  const token = EMBED_TOKEN_PREFIX + randomToken(32)
  const createdAt = app.now()
  const expiresAt = new Date(createdAt.getTime() + TOKEN_LIFE_IN_MS)
  await app.db.orm.insert(embedTokens).values({ ...spent.payload, tokenHash: sha256(token), expiresAt, createdAt })
  // The membership or the session may have ended since the ticket was made.
  if (!(await findEmbedSession(app, token))) throw new AppError('embed-ticket-ended')
  return { path: spent.payload.path, token }
}

/** Tickets and tokens of a stranger go; those that the owner's own session has made stay. */
export const pagesRows: DependentRows = {
  leftByStranger: (app, { userId, sessionId }) => [
    endOneTimeStatement(app, [embedTicket], userId),
    { sql: 'delete from embed_tokens where user_id = ? and session_id is not ?', args: [userId, sessionId ?? ''] },
  ],
  forgetPerson: ({ userId }) => [{ sql: 'delete from embed_tokens where user_id = ?', args: [userId] }],
}
