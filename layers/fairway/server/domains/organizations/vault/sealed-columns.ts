import type { SealedColumn } from '#fairway/server/kernel/crypto/reseal'
import { VAULT_PURPOSE, vaultContext } from './vault-scope'

/** What of the vault is sealed with the application's secret. */
export const vaultSealedColumns: SealedColumn[] = [
  {
    table: 'vault_credentials',
    column: 'ciphertext',
    keyIdColumn: 'key_id',
    purpose: VAULT_PURPOSE,
    context: ({ org_id: orgId, user_id: userId, key }) =>
      vaultContext(orgId === null ? { userId: String(userId) } : { orgId: String(orgId) }, String(key)),
  },
]
