import { type SQL, and, eq } from 'drizzle-orm'
import { vaultCredentials } from '../tables'

/** Whose credentials are meant: one organization's or one person's, never both. */
export type VaultScope = { orgId: string } | { userId: string }

/** What the values are sealed for. */
export const VAULT_PURPOSE = 'vault-credential'

/** The associated data of a value: a row that is moved to another owner or another key does not open. */
export const vaultContext = (scope: VaultScope, key: string): string =>
  'orgId' in scope ? `org/${scope.orgId}/${key}` : `user/${scope.userId}/${key}`

/** The rows of a scope, or the one row of a key. */
export function inScope(scope: VaultScope, key?: string): SQL | undefined {
  const owner = 'orgId' in scope ? eq(vaultCredentials.orgId, scope.orgId) : eq(vaultCredentials.userId, scope.userId)
  return key === undefined ? owner : and(owner, eq(vaultCredentials.key, key))
}
