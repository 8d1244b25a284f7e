import type { App } from '#fairway/server/kernel/app-context'
import type { Vault } from '#fairway/shared/schemas/vault'
import { listCredentials } from './list-credentials'
import type { VaultScope } from './vault-scope'

/** The credentials of a scope, and what the application asks for. */
export async function readVault(app: App, scope: VaultScope): Promise<Vault> {
  const declared = app.config.credentials.map(({ key, name, description, test }) => ({
    key,
    name,
    description,
    isTestable: test !== undefined,
  }))
  return { credentials: await listCredentials(app, scope), declared }
}
