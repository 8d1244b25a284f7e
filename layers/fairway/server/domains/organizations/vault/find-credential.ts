import type { App } from '#fairway/server/kernel/app-context'
import { unseal, UnsealError } from '#fairway/server/kernel/crypto/seal'
import { vaultCredentials } from '../tables'
import { inScope, VAULT_PURPOSE, vaultContext, type VaultScope } from './vault-scope'

/** A credential in memory: its value, or that it is there and cannot be opened. */
export type FoundCredential = { state: 'readable'; value: string } | { state: 'unreadable' } | { state: 'missing' }

/** The credential of this key; what no key of ours opens is `unreadable` and logged, never an error. */
export async function findCredential(app: App, scope: VaultScope, key: string): Promise<FoundCredential> {
  const [row] = await app.db.orm
    .select({ ciphertext: vaultCredentials.ciphertext })
    .from(vaultCredentials)
    .where(inScope(scope, key))
  if (!row) return { state: 'missing' }
  const value = openCredential(app, scope, key, row.ciphertext)
  return value === null ? { state: 'unreadable' } : { state: 'readable', value }
}

/** The value behind a sealed credential, or null with a log line when it was changed, moved, or sealed with a secret that is gone. */
export function openCredential(app: App, scope: VaultScope, key: string, ciphertext: string): string | null {
  try {
    return unseal(app.config.keys, VAULT_PURPOSE, ciphertext, vaultContext(scope, key))
  } catch (error) {
    if (!(error instanceof UnsealError)) throw error
    app.log.error('a stored credential cannot be read', { name: key, ...scope, reason: error.message })
    return null
  }
}
