import { and, desc, eq, gt, isNotNull } from 'drizzle-orm'
import type { App } from '#server/foundation/app-context'
import { sha256 } from '#server/foundation/crypto/hash'
import { type EmailLink, openPayload } from './email-link'
import { readFlowSecret } from './flow-cookie'
import { emailLinks } from './tables'

/** Lets the browser that asked for a link be signed in as this person; it finds out by itself. */
export async function approveWaitingBrowser(app: App, link: Pick<EmailLink, 'id'>, userId: string): Promise<void> {
  await app.db.orm.update(emailLinks).set({ approvedUserId: userId }).where(eq(emailLinks.id, link.id))
}

export type WaitingState =
  | { status: 'approved'; userId: string; link: EmailLink }
  /** `link` is there while it can be mailed again. */
  | { status: 'waiting'; link: EmailLink }
  | { status: 'ended' }

/** What has become of the link that this browser asked for; `approved` is given once. */
export async function checkWaitingBrowser(app: App, cookieHeader: string | undefined): Promise<WaitingState> {
  const secret = readFlowSecret(cookieHeader, app.config)
  if (!secret) return { status: 'ended' }
  const isMine = and(eq(emailLinks.flowHash, sha256(secret)), gt(emailLinks.expiresAt, app.now()))
  const [row] = await app.db.orm.select().from(emailLinks).where(isMine).orderBy(desc(emailLinks.createdAt)).limit(1)
  if (!row) return { status: 'ended' }
  const { id, purpose, email, expiresAt, createdAt, approvedUserId } = row
  const payload = openPayload(app, id, row.payload)
  const link = { id, purpose, email, expiresAt, createdAt, payload, isSameBrowser: true }
  if (!approvedUserId) return row.usedAt ? { status: 'ended' } : { status: 'waiting', link }
  const taken = await app.db.orm
    .update(emailLinks)
    .set({ approvedUserId: null })
    .where(and(eq(emailLinks.id, id), isNotNull(emailLinks.approvedUserId)))
    .returning({ id: emailLinks.id })
  return taken.length > 0 ? { status: 'approved', userId: approvedUserId, link } : { status: 'ended' }
}
