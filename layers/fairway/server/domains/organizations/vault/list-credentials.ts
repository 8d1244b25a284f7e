import { asc } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import type { StoredCredential } from '#fairway/shared/schemas/vault'
import { openCredential } from './find-credential'
import { vaultCredentials } from '../tables'
import { inScope, type VaultScope } from './vault-scope'

/** The credentials of a scope by name, with the last four characters; never a value. */
export async function listCredentials(app: App, scope: VaultScope): Promise<StoredCredential[]> {
  const rows = await app.db.orm.select().from(vaultCredentials).where(inScope(scope)).orderBy(asc(vaultCredentials.key))
  return rows.map(({ key, ciphertext, lastFour, createdAt, updatedAt }) => ({
    key,
    lastFour,
    state: openCredential(app, scope, key, ciphertext) === null ? ('unreadable' as const) : ('readable' as const),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }))
}
