import { asc, eq } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { vaultCredentials } from '../tables'

/** The names, never the values, of what only members of this organization can read. */
export async function listOrgCredentialKeys(app: App, orgId: string): Promise<string[]> {
  const rows = await app.db.orm
    .select({ key: vaultCredentials.key })
    .from(vaultCredentials)
    .where(eq(vaultCredentials.orgId, orgId))
    .orderBy(asc(vaultCredentials.key))
  return rows.map(row => row.key)
}
