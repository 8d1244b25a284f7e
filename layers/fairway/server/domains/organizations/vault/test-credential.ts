import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { CredentialTest } from '#fairway/shared/schemas/vault'
import { findCredential } from './find-credential'
import type { VaultScope } from './vault-scope'

const LIMIT_IN_MS = 8000

/**
 * Whether a credential works: that it can be opened, and what the application's own check says of it within eight seconds.
 * What the check throws is logged, never shown: it may quote the value. Throws `not-found`.
 */
export async function testCredential(app: App, scope: VaultScope, key: string): Promise<CredentialTest> {
  const found = await findCredential(app, scope, key)
  if (found.state === 'missing') throw new AppError('not-found', { detail: 'There is no credential of this name.' })
  if (found.state === 'unreadable') return { outcome: 'unreadable' }
  const declared = app.config.credentials.find(credential => credential.key === key)
  if (!declared?.test) return { outcome: 'readable' }
  const signal = AbortSignal.timeout(LIMIT_IN_MS)
  const late = new Promise<boolean>((_resolve, reject) =>
    signal.addEventListener('abort', () => reject(new Error('the check took longer than eight seconds'))),
  )
  try {
    const works = await Promise.race([declared.test(found.value, { signal, fetch: app.fetch }), late])
    return { outcome: works === true ? 'works' : 'refused' }
  } catch (error) {
    const reason = error instanceof Error ? error.message.replaceAll(found.value, '[redacted]') : 'unknown'
    app.log.warn('the check of a credential failed', { name: key, reason })
    return { outcome: 'failed' }
  }
}
