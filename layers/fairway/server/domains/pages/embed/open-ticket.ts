import { and, eq, gt } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { randomToken } from '#fairway/server/kernel/crypto/random'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { EMBED_TOKEN_PREFIX } from '#fairway/shared/embed-token'
import { findEmbedSession } from './embed-session'
import { embedTickets, embedTokens } from '../tables'

const TOKEN_LIFE_IN_MS = 60 * 60 * 1000

/** Uses a ticket up and gives the page it opens with a token for one hour; of any number of callers one gets it. Throws `embed-ticket-ended`. */
export async function openTicket(app: App, ticket: string): Promise<{ path: string; token: string }> {
  const now = app.now()
  const [used] = await app.db.orm
    .delete(embedTickets)
    .where(and(eq(embedTickets.tokenHash, sha256(ticket)), gt(embedTickets.expiresAt, now)))
    .returning()
  if (!used) throw new AppError('embed-ticket-ended')
  const token = EMBED_TOKEN_PREFIX + randomToken(32)
  const expiresAt = new Date(now.getTime() + TOKEN_LIFE_IN_MS)
  await app.db.orm.insert(embedTokens).values({ ...used, tokenHash: sha256(token), expiresAt, createdAt: now })
  // The membership or the session may have ended since the ticket was made.
  if (!(await findEmbedSession(app, token))) throw new AppError('embed-ticket-ended')
  return { path: used.path, token }
}
