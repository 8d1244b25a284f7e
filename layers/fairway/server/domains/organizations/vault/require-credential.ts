import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { CONNECTIONS_PAGE } from '#fairway/shared/paths'
import type { Session } from '#fairway/shared/schemas/session'
import { findCredential } from './find-credential'

/**
 * The credential of this name for somebody: their own, else the one of the organization that they work in. Throws
 * `credential-required` with the place where it is added, also when it is there and cannot be opened.
 */
export async function requireCredential(
  app: App,
  session: Pick<Session, 'userId' | 'orgId'>,
  key: string,
): Promise<string> {
  const own = await findCredential(app, { userId: session.userId }, key)
  if (own.state === 'readable') return own.value
  const shared = session.orgId ? await findCredential(app, { orgId: session.orgId }, key) : own
  if (shared.state === 'readable') return shared.value
  const isUnreadable = own.state === 'unreadable' || shared.state === 'unreadable'
  throw new AppError('credential-required', {
    detail: isUnreadable ? `The credential "${key}" is there but cannot be read. Enter it again.` : undefined,
    extra: { credential: key, addUrl: `${CONNECTIONS_PAGE}?credential=${encodeURIComponent(key)}` },
  })
}
