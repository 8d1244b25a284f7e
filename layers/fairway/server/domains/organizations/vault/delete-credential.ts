import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { vaultCredentials } from '../tables'
import { inScope, type VaultScope } from './vault-scope'

/** Removes a credential for good; throws `not-found`. */
export async function deleteCredential(app: App, scope: VaultScope, key: string): Promise<void> {
  const gone = await app.db.orm
    .delete(vaultCredentials)
    .where(inScope(scope, key))
    .returning({ key: vaultCredentials.key })
  if (gone.length === 0) throw new AppError('not-found', { detail: 'There is no credential of this name.' })
}
