import type * as z from 'zod/mini'
import type { App } from '#fairway/server/kernel/app-context'
import { constantTimeEqual } from '#fairway/server/kernel/crypto/hash'
import { toCodeChallenge } from '#fairway/server/kernel/crypto/random'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import type { desktopExchangeSchema } from '#fairway/shared/schemas/desktop'
import type { Session } from '#fairway/shared/schemas/session'
import { rateLimitLocally } from '../../../kernel/limits/rate-limit'
import { limits } from '../../../kernel/limits/limits'
import { recordSecurityEvent } from '../../../kernel/security-events/record-security-event'
import { isBound } from './binding-cookie'
import { type Ceremony, findCeremony, hasEnded, stillOpenSql } from './ceremony-row'
import { whyNotVouched } from './desktop-person'
import { workspaceSnapshot } from './workspace-snapshot'

interface Exchange {
  id: string
  /** What the desktop application has kept to itself until now. */
  verifier: string
  session: Session | null
  cookieHeader: string | undefined
  clientAddress: string
  requestId: string
}

/**
 * Tells the desktop application who confirmed its ceremony, and the applications of the workspace: once, to the browser that began it,
 * where that person is signed in still. Nothing in the answer is a credential. Throws `desktop-exchange-refused`, `unauthenticated`,
 * `ceremony-pending` and `ceremony-ended`.
 */
export async function exchangeCeremony(app: App, exchange: Exchange): Promise<z.output<typeof desktopExchangeSchema>> {
  rateLimitLocally(app, limits.desktopExchangesPerAddress, addressKey(exchange.clientAddress))
  const ceremony = await findCeremony(app, exchange.id)
  if (!ceremony) throw new AppError('ceremony-ended')
  if (!isBound(app, ceremony, exchange.cookieHeader)) throw await refused(app, exchange, 'another browser')
  if (hasEnded(app, ceremony)) throw new AppError('ceremony-ended')
  await checkVerifier(app, ceremony, exchange)
  if (ceremony.userId === null) throw new AppError('ceremony-pending')
  const { session } = exchange
  if (!session) throw new AppError('unauthenticated')
  if (session.userId !== ceremony.userId || whyNotVouched(app, session)) {
    throw await refused(app, exchange, 'somebody else than the one who confirmed')
  }
  if (!(await spendCeremony(app, ceremony.id, session.userId))) throw new AppError('ceremony-ended')
  return workspaceSnapshot(app, session)
}

async function checkVerifier(app: App, { id, codeChallenge }: Ceremony, exchange: Exchange): Promise<void> {
  if (constantTimeEqual(toCodeChallenge(exchange.verifier), codeChallenge)) return
  await app.db.client.execute({
    sql: 'update desktop_ceremonies set wrong_verifiers = wrong_verifiers + 1 where id = ?',
    args: [id],
  })
  throw await refused(app, exchange, 'a wrong verifier')
}

/** Uses a confirmed ceremony up: of any number of calls at once, one gets true. */
async function spendCeremony(app: App, id: string, userId: string): Promise<boolean> {
  const now = app.now().getTime()
  const { rowsAffected } = await app.db.client.execute({
    sql: `update desktop_ceremonies set exchanged_at = ?
      where id = ? and user_id = ? and confirmed_at is not null and ${stillOpenSql}`,
    args: [now, id, userId, now],
  })
  return rowsAffected === 1
}

async function refused(app: App, exchange: Exchange, who: string): Promise<AppError> {
  await recordSecurityEvent(app, {
    kind: 'desktop-sign-in-refused',
    reason: `an exchange came from ${who}`,
    clientAddress: exchange.clientAddress,
    userId: exchange.session?.userId,
    requestId: exchange.requestId,
  })
  return new AppError('desktop-exchange-refused')
}
