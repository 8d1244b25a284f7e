import { and, eq, isNull, lte } from 'drizzle-orm'
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { type EmailLink, openPayload } from './email-link'
import { readFlowSecret } from './flow-cookie'
import { emailLinks } from '../tables'

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

const spentSchema = z.object({ securityVersion: z.number() })

/**
 * Uses a link up: of any number of calls at once one goes on, the others get `link-used`. Gives the security version of the
 * account at that moment, 0 when there is none yet: what the link leads to counts only while that is unchanged.
 */
export async function spendEmailLink(app: App, { id }: Pick<EmailLink, 'id'>): Promise<number> {
  const now = app.now().getTime()
  const { rows } = await app.db.client.execute({
    sql: `update email_links set used_at = ? where id = ? and used_at is null and expires_at > ?
      returning coalesce((select security_version from users u where u.email = email_links.email), 0) as securityVersion`,
    args: [now, id, now],
  })
  if (!rows[0]) throw new AppError('link-used')
  return spentSchema.parse(rows[0]).securityVersion
}

/** Ends all open links of an address, of every kind: after a password was set or the address was proved. */
export async function endEmailLinks(app: App, email: string): Promise<void> {
  await app.db.orm
    .update(emailLinks)
    .set({ usedAt: app.now() })
    .where(and(eq(emailLinks.email, email), isNull(emailLinks.usedAt)))
}

/** Deletes links whose end is a day ago. */
export async function purgeEmailLinks(app: App): Promise<void> {
  await app.db.orm.delete(emailLinks).where(lte(emailLinks.expiresAt, new Date(app.now().getTime() - KEEP_ENDED_IN_MS)))
}
