import { type SQL, and, eq, asc, isNotNull } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { CONNECTIONS_PAGE } from '#fairway/shared/paths'
import type { Session } from '#fairway/shared/schemas/session'
import { unseal, UnsealError, seal } from '#fairway/server/kernel/crypto/seal'
import { newId } from '#fairway/server/kernel/crypto/random'
import type { CredentialTest, StoredCredential, Vault } from '#fairway/shared/schemas/vault'
import type { SealedColumn } from '#fairway/server/kernel/crypto/reseal'
import { vaultCredentials } from './tables'

/** The owner of credentials: one organization or one person, never both. */
type VaultScope = { orgId: string } | { userId: string }

/** The sealing purpose of the values. */
const VAULT_PURPOSE = 'vault-credential'

/** The associated data of a value. A row that is moved to another owner or key cannot be unsealed. */
const vaultContext = (scope: VaultScope, key: string): string =>
  'orgId' in scope ? `org/${scope.orgId}/${key}` : `user/${scope.userId}/${key}`

/** The rows of a scope, or the one row of a key. */
function inScope(scope: VaultScope, key?: string): SQL | undefined {
  const owner = 'orgId' in scope ? eq(vaultCredentials.orgId, scope.orgId) : eq(vaultCredentials.userId, scope.userId)
  return key === undefined ? owner : and(owner, eq(vaultCredentials.key, key))
}

/**
 * Returns a person's credential with this name: their own, else the one of the organization that they work in. A service account
 * has none of its own. Throws
 * `credential-required` with the page to add it on, also when it exists but cannot be unsealed.
 */
export async function requireCredential(
  app: App,
  session: Pick<Session, 'userId' | 'orgId' | 'serviceAccount'>,
  key: string,
): Promise<string> {
  const personal: FoundCredential = session.serviceAccount
    ? { state: 'missing' }
    : await findCredential(app, { userId: session.userId }, key)
  if (personal.state === 'readable') return personal.value
  const shared = session.orgId ? await findCredential(app, { orgId: session.orgId }, key) : personal
  if (shared.state === 'readable') return shared.value
  const isUnreadable = personal.state === 'unreadable' || shared.state === 'unreadable'
  throw new AppError('credential-required', {
    detail: isUnreadable ? `The credential "${key}" is there but cannot be read. Enter it again.` : undefined,
    extra: { credential: key, addUrl: `${CONNECTIONS_PAGE}?credential=${encodeURIComponent(key)}` },
  })
}

/** A credential in memory: its value, or that it exists but cannot be unsealed. */
type FoundCredential = { state: 'readable'; value: string } | { state: 'unreadable' } | { state: 'missing' }

/** Returns the credential of this key. One that no key unseals is `unreadable` and logged; it causes no error. */
async function findCredential(app: App, scope: VaultScope, key: string): Promise<FoundCredential> {
  const [row] = await app.db.orm
    .select({ ciphertext: vaultCredentials.ciphertext })
    .from(vaultCredentials)
    .where(inScope(scope, key))
  if (!row) return { state: 'missing' }
  const value = openCredential(app, scope, key, row.ciphertext)
  return value === null ? { state: 'unreadable' } : { state: 'readable', value }
}

/**
 * Returns the value of a sealed credential. Returns null, with a log line, when it was changed, moved, or sealed with a removed
 * secret.
 */
function openCredential(app: App, scope: VaultScope, key: string, ciphertext: string): string | null {
  try {
    return unseal(app.config.keys, VAULT_PURPOSE, ciphertext, vaultContext(scope, key))
  } catch (error) {
    if (!(error instanceof UnsealError)) throw error
    app.log.error('a stored credential cannot be read', { name: key, ...scope, reason: error.message })
    return null
  }
}

/** The last four characters of a shorter value would reveal too much of it. */
const LEAST_FOR_LAST_FOUR = 12

/** Seals and stores a credential and replaces an existing one with this key. Concurrent writes leave one row. */
export async function putCredential(app: App, scope: VaultScope, key: string, value: string): Promise<void> {
  const sealed = seal(app.config.keys, VAULT_PURPOSE, value, vaultContext(scope, key))
  const owner = 'orgId' in scope ? vaultCredentials.orgId : vaultCredentials.userId
  const now = app.now()
  const set = {
    ciphertext: sealed,
    keyId: sealed.slice(0, sealed.indexOf('.')),
    lastFour: lastFour(value),
    updatedAt: now,
  }
  await app.db.orm
    .insert(vaultCredentials)
    .values({ id: newId(), ...scope, key, createdAt: now, ...set })
    .onConflictDoUpdate({ target: [owner, vaultCredentials.key], targetWhere: isNotNull(owner), set })
}

const lastFour = (value: string): string => (value.length >= LEAST_FOR_LAST_FOUR ? value.slice(-4) : '')

/** Deletes a credential permanently; throws `not-found`. */
export async function deleteCredential(app: App, scope: VaultScope, key: string): Promise<void> {
  const gone = await app.db.orm
    .delete(vaultCredentials)
    .where(inScope(scope, key))
    .returning({ key: vaultCredentials.key })
  if (gone.length === 0) throw new AppError('not-found', { detail: 'There is no credential of this name.' })
}

const LIMIT_IN_MS = 8000

/**
 * Tests a credential: whether it can be unsealed, and the result of the application's own check within eight seconds. Errors of
 * the check are logged and never shown, because they may quote the value. Throws `not-found`.
 */
export async function testCredential(app: App, scope: VaultScope, key: string): Promise<CredentialTest> {
  const stored = await findCredential(app, scope, key)
  if (stored.state === 'missing') throw new AppError('not-found', { detail: 'There is no credential of this name.' })
  if (stored.state === 'unreadable') return { outcome: 'unreadable' }
  const declared = app.config.credentials.find(credential => credential.key === key)
  if (!declared?.test) return { outcome: 'readable' }
  const signal = AbortSignal.timeout(LIMIT_IN_MS)
  const late = new Promise<boolean>((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(new Error('the check took longer than eight seconds'))),
  )
  try {
    const works = await Promise.race([declared.test(stored.value, { signal, fetch: app.fetch }), late])
    return { outcome: works === true ? 'works' : 'refused' }
  } catch (error) {
    const reason = error instanceof Error ? error.message.replaceAll(stored.value, '[redacted]') : 'unknown'
    app.log.warn('the check of a credential failed', { name: key, reason })
    return { outcome: 'failed' }
  }
}

/** Lists the credentials of a scope by name, with the last four characters; never a value. */
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

/** Returns the credentials of a scope, and those that the application declares. */
export async function readVault(app: App, scope: VaultScope): Promise<Vault> {
  const declared = app.config.credentials.map(({ key, name, description, test }) => ({
    key,
    name,
    description,
    isTestable: test !== undefined,
  }))
  return { credentials: await listCredentials(app, scope), declared }
}

/** Lists the names, never the values, of credentials that only members of this organization can read. */
export async function listOrgCredentialKeys(app: App, orgId: string): Promise<string[]> {
  const rows = await app.db.orm
    .select({ key: vaultCredentials.key })
    .from(vaultCredentials)
    .where(eq(vaultCredentials.orgId, orgId))
    .orderBy(asc(vaultCredentials.key))
  return rows.map(row => row.key)
}

/** The vault's columns that are sealed with the application's secret. */
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
