import { and, eq, gt, isNull, lte } from 'drizzle-orm'
import type { App } from '#server/foundation/app-context'
import { sha256 } from '#server/foundation/crypto/hash'
import { AppError } from '#server/foundation/http/app-error'
import { type EmailLink, openPayload } from './email-link'
import { readFlowSecret } from './flow-cookie'
import { emailLinks } from './tables'

const KEEP_ENDED_IN_MS = 24 * 60 * 60 * 1000

/** Looks at a link without using it: mail scanners and previews do that too. Throws `link-unknown`, `link-used` and `link-expired`. */
export async function findEmailLink(app: App, token: string, cookieHeader: string | undefined): Promise<EmailLink> {
  const [row] = await app.db.orm
    .select()
    .from(emailLinks)
    .where(eq(emailLinks.tokenHash, sha256(token)))
  if (!row) throw new AppError('link-unknown')
  if (row.usedAt) throw new AppError('link-used')
  if (row.expiresAt <= app.now()) throw new AppError('link-expired')
  const secret = readFlowSecret(cookieHeader, app.config)
  const { id, purpose, email, expiresAt, createdAt } = row
  const isSameBrowser = secret !== undefined && sha256(secret) === row.flowHash
  return { id, purpose, email, expiresAt, createdAt, isSameBrowser, payload: openPayload(app, id, row.payload) }
}

/** Uses a link up: of any number of calls at once one goes on, the others get `link-used`. */
export async function spendEmailLink(app: App, { id }: Pick<EmailLink, 'id'>): Promise<void> {
  const now = app.now()
  const used = await app.db.orm
    .update(emailLinks)
    .set({ usedAt: now })
    .where(and(eq(emailLinks.id, id), isNull(emailLinks.usedAt), gt(emailLinks.expiresAt, now)))
    .returning({ id: emailLinks.id })
  if (used.length === 0) throw new AppError('link-used')
}

/** Ends all open links of an address, of every kind: after a password was set or the address was proved. */
export async function endEmailLinks(app: App, email: string): Promise<void> {
  await app.db.orm
    .update(emailLinks)
    .set({ usedAt: app.now() })
    .where(and(eq(emailLinks.email, email), isNull(emailLinks.usedAt)))
}

/** Deletes links whose end is a day ago. */
export async function sweepEmailLinks(app: App): Promise<void> {
  await app.db.orm.delete(emailLinks).where(lte(emailLinks.expiresAt, new Date(app.now().getTime() - KEEP_ENDED_IN_MS)))
}
