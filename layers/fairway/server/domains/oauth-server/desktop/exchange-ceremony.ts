import type * as z from 'zod/mini'
import type { App } from '#fairway/server/kernel/app-context'
import { matchesChallenge } from '#fairway/server/kernel/crypto/random'
import type { HubApp } from '#fairway/server/kernel/config/identity-registry'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { limits } from '#fairway/server/kernel/limits/limits'
import { rateLimit } from '#fairway/server/kernel/limits/rate-limit'
import { spendOneTime, tryOneTime } from '#fairway/server/kernel/one-time/one-time'
import { recordSecurityEvent } from '#fairway/server/kernel/security-events/record-security-event'
import type { desktopExchangeSchema } from '#fairway/shared/schemas/desktop'
import type { Session } from '#fairway/shared/schemas/session'
import { isBound, findCeremony, hasEnded, desktopCeremony, MOST_WRONG_VERIFIERS } from './ceremony'
import { whyNotVouched } from '../hub/token'
import type { Visit } from '../authorization-endpoint'

interface Exchange extends Visit {
  id: string
  /** What the desktop application has kept to itself until now. */
  verifier: string
  session: Session | null
  cookieHeader: string | undefined
}

type WorkspaceSnapshot = z.output<typeof desktopExchangeSchema>

/**
 * Tells the desktop application who confirmed its ceremony, and the applications of the workspace: once, to the browser that began it,
 * where that person is signed in still. Nothing in the answer is a credential. Throws `desktop-exchange-refused`, `unauthenticated`,
 * `ceremony-pending` and `ceremony-ended`.
 */
export async function exchangeCeremony(app: App, exchange: Exchange): Promise<WorkspaceSnapshot> {
  const { id, session } = exchange
  await rateLimit(app, limits.desktopExchangesPerAddress, addressKey(exchange.clientAddress))
  const ceremony = await findCeremony(app, id)
  if (!ceremony) throw new AppError('ceremony-ended')
  if (!isBound(app, ceremony, exchange.cookieHeader)) throw await refused(app, exchange, 'another browser')
  if (hasEnded(ceremony)) throw new AppError('ceremony-ended')
  if (!matchesChallenge(ceremony.payload.codeChallenge, exchange.verifier)) {
    await tryOneTime(app, desktopCeremony, id, MOST_WRONG_VERIFIERS)
    throw await refused(app, exchange, 'a wrong verifier')
  }
  if (ceremony.subject === null) throw new AppError('ceremony-pending')
  if (!session) throw new AppError('unauthenticated')
  if (session.userId !== ceremony.subject || whyNotVouched(app, session)) {
    throw await refused(app, exchange, 'another person than the one who confirmed')
  }
  const open = { subject: session.userId, triesBelow: MOST_WRONG_VERIFIERS }
  if (!(await spendOneTime(app, desktopCeremony, id, open))) throw new AppError('ceremony-ended')
  return workspaceSnapshot(app, session)
}

async function refused(app: App, exchange: Exchange, sender: string): Promise<AppError> {
  await recordSecurityEvent(app, {
    kind: 'desktop-sign-in-refused',
    reason: `an exchange came from ${sender}`,
    clientAddress: exchange.clientAddress,
    userId: exchange.session?.userId,
    requestId: exchange.requestId,
  })
  return new AppError('desktop-exchange-refused')
}

/** The person who is signed in at the hub, and every application that it knows. Nothing in it is a credential. */
const workspaceSnapshot = ({ config }: App, { email }: Session): WorkspaceSnapshot => ({
  email,
  apps: (config.identity.hub?.apps ?? []).map(toSnapshotApp),
})

/** The same for a desktop application that has signed in before; throws `email-not-verified` and `not-a-real-account`. */
export function currentSnapshot(app: App, session: Session): WorkspaceSnapshot {
  const code = whyNotVouched(app, session)
  if (code) throw new AppError(code)
  return workspaceSnapshot(app, session)
}

const toSnapshotApp = ({ appId, clientId, origin, callbackPath, isCanonical }: HubApp) => ({
  appId,
  clientId,
  origin,
  callbackUrl: origin + callbackPath,
  isCanonical,
})
