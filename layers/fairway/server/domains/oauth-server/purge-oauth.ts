import type { App } from '#fairway/server/kernel/app-context'
import { OFFLINE_ACCESS } from '#fairway/shared/scopes'
import { hasScope } from './grants'
import { purgeDevicesStatement } from './device/device-codes'
import { purgeSigningKeys } from './signing-keys'

const HOUR_IN_MS = 60 * 60 * 1000
/** How long an ended grant is kept, so that the reason can be looked up. */
const KEPT_FOR_IN_MS = 30 * 24 * HOUR_IN_MS

/**
 * Deletes grants, codes of all kinds and refresh tokens that are no longer usable. Used ones are kept as long as a second use must be
 * detected.
 */
export async function purgeOAuth(app: App): Promise<void> {
  const now = app.now().getTime()
  await app.db.client.batch(
    [
      { sql: 'delete from oauth_grants where coalesce(revoked_at, expires_at) <= ?', args: [now - KEPT_FOR_IN_MS] },
      // The code was never exchanged, or all refresh tokens have expired.
      {
        sql: `update oauth_grants set revoked_at = ?, revoked_reason = 'unused' where revoked_at is null and created_at <= ?
          and ${hasScope('scope', OFFLINE_ACCESS)}
          and not exists (select 1 from oauth_refresh_tokens r where r.grant_id = oauth_grants.id and r.expires_at > ?)`,
        args: [now, now - HOUR_IN_MS, now],
      },
      { sql: 'delete from oauth_refresh_tokens where expires_at <= ?', args: [now] },
      purgeDevicesStatement(now),
      {
        sql: `delete from oauth_codes where expires_at <= ? and (used_at is null or not exists (
          select 1 from oauth_grants g where g.id = oauth_codes.grant_id and g.revoked_at is null and g.expires_at > ?))`,
        args: [now - HOUR_IN_MS, now],
      },
    ],
    'write',
  )
  await purgeSigningKeys(app)
}
