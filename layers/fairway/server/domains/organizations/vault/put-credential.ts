import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import { seal } from '#fairway/server/kernel/crypto/seal'
import { VAULT_PURPOSE, vaultContext, type VaultScope } from './vault-scope'

/** Fewer characters than this at the end of a value would give too much of it away. */
const LEAST_FOR_LAST_FOUR = 12

/** Stores a credential sealed, over the one of this key that was there; two at once leave one row. */
export async function putCredential(app: App, scope: VaultScope, key: string, value: string): Promise<void> {
  const sealed = seal(app.config.keys, VAULT_PURPOSE, value, vaultContext(scope, key))
  const [column, owner] = 'orgId' in scope ? ['org_id', scope.orgId] : ['user_id', scope.userId]
  const now = app.now().getTime()
  await app.db.client.execute({
    sql: `insert into vault_credentials (id, ${column}, key, ciphertext, key_id, last_four, created_at, updated_at)
      values (?, ?, ?, ?, ?, ?, ?, ?)
      on conflict (${column}, key) where ${column} is not null do update set
        ciphertext = excluded.ciphertext, key_id = excluded.key_id, last_four = excluded.last_four, updated_at = excluded.updated_at`,
    args: [newId(), owner, key, sealed, sealed.slice(0, sealed.indexOf('.')), lastFour(value), now, now],
  })
}

const lastFour = (value: string): string => (value.length >= LEAST_FOR_LAST_FOUR ? value.slice(-4) : '')
