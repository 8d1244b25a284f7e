import type { App } from '#fairway/server/kernel/app-context'
import { purgeSigningKeys } from './signing-keys'

const HOUR_IN_MS = 60 * 60 * 1000
/** How long a grant that has ended is kept, so that one can look up why. */
const KEPT_FOR_IN_MS = 30 * 24 * HOUR_IN_MS

/** Deletes grants, codes and refresh tokens that open nothing any more. What was used is kept as long as a second use must be noticed. */
export async function purgeOAuth(app: App): Promise<void> {
  const now = app.now().getTime()
  await app.db.client.batch(
    [
      { sql: 'delete from oauth_grants where coalesce(revoked_at, expires_at) <= ?', args: [now - KEPT_FOR_IN_MS] },
      // Approved and never fetched, or not renewed for as long as its tokens lived.
      {
        sql: `update oauth_grants set revoked_at = ?, revoked_reason = 'unused' where revoked_at is null and created_at <= ?
          and instr(' ' || scope || ' ', ' offline_access ') > 0
          and not exists (select 1 from oauth_refresh_tokens r where r.grant_id = oauth_grants.id and r.expires_at > ?)`,
        args: [now, now - HOUR_IN_MS, now],
      },
      { sql: 'delete from oauth_refresh_tokens where expires_at <= ?', args: [now] },
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
