// The monthly review: which connections of an organization did not use for 30 days what they may.
import type { App } from '#fairway/server/kernel/app-context'
import type { OrganizationGrant } from '#fairway/shared/schemas/connection'
import { UNUSED_AFTER_IN_MS } from './grant-use'
import { listOrgGrants } from './grants'

interface AccessReview {
  orgId: string
  orgName: string
  /** The connections with unused permissions, older than 30 days. Never empty. */
  grants: OrganizationGrant[]
}

/**
 * Claims the reviews that are due: each organization with unused access, once in a calendar month (UTC), by one process. A month
 * in which the server was away for some days is made up for.
 */
export async function* claimAccessReviews(app: App): AsyncGenerator<AccessReview> {
  const month = app.now().toISOString().slice(0, 7)
  const before = new Date(app.now().getTime() - UNUSED_AFTER_IN_MS)
  const due = await app.db.prepareRead<{ orgId: string }>(
    `select distinct g.org_id as orgId from oauth_grants g left join fw_access_reviews r on r.org_id = g.org_id
      where g.revoked_at is null and g.expires_at > ? and g.created_at <= ? and coalesce(r.month, '') < ?`,
  )([app.now().getTime(), before.getTime(), month])
  for (const { orgId } of due) {
    const listed = await listOrgGrants(app, orgId)
    const grants = listed.filter(
      ({ createdAt, unused, isIdle }) => createdAt <= before.toISOString() && (isIdle || unused.length > 0),
    )
    const [first] = grants
    if (first && (await claim(app, orgId, month))) yield { orgId, orgName: first.orgName, grants }
  }
}

async function claim(app: App, orgId: string, month: string): Promise<boolean> {
  const { rowsAffected } = await app.db.client.execute({
    sql: `insert into fw_access_reviews (org_id, month) values (?, ?)
      on conflict (org_id) do update set month = excluded.month where month < excluded.month`,
    args: [orgId, month],
  })
  return rowsAffected === 1
}
