import { z } from 'zod'
import { checkOrgOpens } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { randomToken } from '#fairway/server/kernel/crypto/random'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { EMBED_PATH, LEGACY_SIGN_IN_PATH, SIGN_IN_PATH } from '#fairway/shared/paths'
import { sameOriginPath } from '#fairway/shared/return-path'
import type { Session } from '#fairway/shared/schemas/session'
import { rateLimit } from '../../../kernel/limits/rate-limit'
import { limits } from '../../../kernel/limits/limits'
import { findEmbedPage, type ShellPage } from '../find-page'
import { embedTickets } from '../tables'

const TICKET_LIFE_IN_MS = 5 * 60 * 1000

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
  await rateLimit(app, limits.embedTicketsPerAccount, session.userId)
  const ticket = randomToken(32)
  const createdAt = app.now()
  const expiresAt = new Date(createdAt.getTime() + TICKET_LIFE_IN_MS)
  await app.db.orm.insert(embedTickets).values({
    ...target,
    tokenHash: sha256(ticket),
    userId: session.userId,
    orgId: session.orgId,
    sessionId,
    provider: session.provider,
    expiresAt,
    createdAt,
  })
  return { url: `${app.config.baseUrl}${EMBED_PATH}/start?ticket=${ticket}`, expiresAt: expiresAt.toISOString() }
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
