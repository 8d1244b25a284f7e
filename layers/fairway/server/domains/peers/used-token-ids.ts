import type { App } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'

interface TokenId {
  issuer: string
  /** The `jti` (RFC 7519 §4.1.7). */
  id: string
  /** Until when the token would be accepted, in milliseconds since 1970. */
  expiresAt: number
}

/** Notes that a token was used; false when it was used before, here or by another instance. */
export async function spendTokenId(app: App, { issuer, id, expiresAt }: TokenId): Promise<boolean> {
  const { rowsAffected } = await app.db.client.execute({
    sql: 'insert into used_token_ids (id_hash, expires_at) values (?, ?) on conflict do nothing',
    args: [sha256(`${issuer}\n${id}`), expiresAt],
  })
  return rowsAffected === 1
}

/** Deletes what is known of tokens that have ended. */
export async function purgeUsedTokenIds(app: App): Promise<void> {
  await app.db.client.execute({ sql: 'delete from used_token_ids where expires_at <= ?', args: [app.now().getTime()] })
}
