import { and, desc, eq, gt, isNotNull } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { type EmailLink, openPayload } from './email-link'
import { readFlowSecret } from './flow-cookie'
import { emailLinks } from '../tables'

const APPROVAL_LIFE_IN_MS = 10 * 60_000

interface ApprovedPerson {
  userId: string
  /** The account's security version; what raises it ends the approval too. */
  securityVersion: number
}

/** Lets the browser that asked for a link be signed in as this person, within ten minutes; it finds out by itself. */
export async function approveWaitingBrowser(app: App, { id }: Pick<EmailLink, 'id'>, person: ApprovedPerson) {
  await app.db.orm
    .update(emailLinks)
    .set({ approvedUserId: person.userId, approvedVersion: person.securityVersion, approvedAt: app.now() })
    .where(eq(emailLinks.id, id))
}

export type WaitingState =
  | ({ status: 'approved'; link: EmailLink } & ApprovedPerson)
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
  const { id, purpose, email, expiresAt, createdAt, approvedUserId: userId, approvedVersion, approvedAt } = row
  const payload = openPayload(app, id, row.payload)
  const link = { id, purpose, email, expiresAt, createdAt, payload, isSameBrowser: true }
  if (!userId) return row.usedAt ? { status: 'ended' } : { status: 'waiting', link }
  const since = new Date(app.now().getTime() - APPROVAL_LIFE_IN_MS)
  if (!approvedAt || approvedAt <= since || approvedVersion === null) return { status: 'ended' }
  const taken = await app.db.orm
    .update(emailLinks)
    .set({ approvedUserId: null })
    .where(and(eq(emailLinks.id, id), isNotNull(emailLinks.approvedUserId)))
    .returning({ id: emailLinks.id })
  return taken.length > 0 ? { status: 'approved', userId, securityVersion: approvedVersion, link } : { status: 'ended' }
}
