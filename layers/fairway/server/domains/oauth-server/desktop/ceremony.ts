// A ceremony signs a desktop application in at this hub. A browser starts it, a person confirms it there, and the application
// exchanges it.
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { constantTimeEqual, sha256 } from '#fairway/server/kernel/crypto/hash'
import type { HubApp } from '#fairway/server/kernel/config/identity-registry'
import { CODE_CHALLENGE, matchesChallenge, newId, randomToken } from '#fairway/server/kernel/crypto/random'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { cookieValues, setCookieValue } from '#fairway/server/kernel/http/cookie'
import { limits } from '#fairway/server/kernel/limits/limits'
import { rateLimit } from '#fairway/server/kernel/limits/rate-limit'
import {
  issueStatements,
  type OneTime,
  type OneTimePurpose,
  peekOneTime,
  spendOneTime,
  tryOneTime,
} from '#fairway/server/kernel/one-time/one-time'
import { recordSecurityEvent } from '#fairway/server/kernel/security-events/record-security-event'
import { DESKTOP_CEREMONIES_PATH, DESKTOP_COMPLETE_PATH, DESKTOP_PREFIX } from '#fairway/shared/paths'
import type { desktopExchangeSchema } from '#fairway/shared/schemas/desktop'
import type { Session } from '#fairway/shared/schemas/session'
import type { Visit } from '../authorization-endpoint'
import { whyNotVouched } from '../hub/token'

const COOKIE = 'desktop_binding'
/** Wrong verifiers that end a ceremony. */
export const MOST_WRONG_VERIFIERS = 5

const payloadSchema = z.object({
  /** S256 challenge of the verifier that only the desktop application knows. */
  codeChallenge: z.string().regex(CODE_CHALLENGE),
  /** SHA-256 of the nonce in the addresses of its pages. */
  nonceHash: z.string(),
})

/**
 * A sign-in of a desktop application. Its id is useless without the browser's cookie. The subject is the person who confirmed it,
 * and the tries count wrong verifiers.
 */
export const desktopCeremony: OneTimePurpose<z.output<typeof payloadSchema>> = {
  name: 'desktop-ceremony',
  lifeInSeconds: 5 * 60,
  payload: payloadSchema,
  mostPerBrowser: 3,
}
export type Ceremony = OneTime<z.output<typeof payloadSchema>>

/** The input that starts a ceremony: the S256 challenge of the desktop application's verifier, and a nonce. */
export const beginCeremonySchema = z.strictObject({
  codeChallenge: z.string().regex(CODE_CHALLENGE, 'must be the S256 challenge of a verifier'),
  nonce: z.string().regex(/^[\w-]{32,128}$/, 'must be 32 to 128 characters of base64url'),
})

interface Beginning extends z.output<typeof beginCeremonySchema> {
  clientAddress: string
  cookieHeader: string | undefined
}

/**
 * Starts a sign-in of five minutes that is bound to this browser. Returns the ceremony, and the `Set-Cookie` value that
 * confirming and exchanging it require. Throws `rate-limited`.
 */
export async function beginCeremony(app: App, beginning: Beginning) {
  const { codeChallenge, nonce, clientAddress, cookieHeader } = beginning
  await rateLimit(app, limits.desktopCeremoniesPerAddress, addressKey(clientAddress))
  const [browser = randomToken(32)] = readBindings(app, cookieHeader)
  const payload = { codeChallenge, nonceHash: sha256(nonce) }
  const issue = { payload, browser, secret: newId() }
  const { secret: id, expiresAt, statements } = issueStatements(app, desktopCeremony, issue)
  await app.db.client.batch(statements, 'write')
  const { baseUrl } = app.config
  return {
    ceremony: {
      id,
      url: baseUrl + ceremonyPath(id, nonce),
      completionUrl: baseUrl + completionPath(nonce),
      expiresAt: expiresAt.toISOString(),
    },
    setCookie: setCookieValue(app.config, COOKIE, browser, desktopCeremony.lifeInSeconds, DESKTOP_PREFIX),
  }
}

/** The path and query of the page where a person confirms a ceremony. */
export const ceremonyPath = (id: string, nonce: string): string =>
  `${DESKTOP_CEREMONIES_PATH}/${encodeURIComponent(id)}?${new URLSearchParams({ nonce })}`

/** The path and query of the page that ends a ceremony and signals that to the desktop application. */
export const completionPath = (nonce: string): string => `${DESKTOP_COMPLETE_PATH}?${new URLSearchParams({ nonce })}`

/**
 * Returns the ceremony with this id, or null. Throws `internal` for an incomplete row, and leaves it for operators to inspect.
 */
export async function findCeremony(app: App, id: string): Promise<Ceremony | null> {
  const broken = (cause: unknown) => new AppError('internal', { cause })
  const ceremony = await peekOneTime(app, desktopCeremony, id).catch((error: unknown) => {
    throw broken(error)
  })
  if (ceremony?.browserHash === null) throw broken(`the desktop ceremony ${id} belongs to no browser`)
  return ceremony
}

/** Whether a ceremony began in the browser with these cookies. */
export const isBound = (app: App, { browserHash }: Ceremony, cookieHeader: string | undefined): boolean =>
  readBindings(app, cookieHeader).some(value => constantTimeEqual(sha256(value), browserHash ?? ''))

/** Whether a ceremony is no longer usable: expired, exchanged, or tried with too many wrong verifiers. */
export const hasEnded = ({ isExpired, usedAt, tries }: Ceremony): boolean =>
  isExpired || usedAt !== null || tries >= MOST_WRONG_VERIFIERS

/** The values that this browser is bound by. There are several when another host of the domain has set one too. */
const readBindings = (app: App, cookieHeader: string | undefined): string[] =>
  cookieValues(app.config, COOKIE, cookieHeader, DESKTOP_PREFIX).filter(value => /^[\w-]{43}$/.test(value))

interface Exchange extends Visit {
  id: string
  /** The secret that the desktop application has kept since the start. */
  verifier: string
  session: Session | null
  cookieHeader: string | undefined
}

type WorkspaceSnapshot = z.output<typeof desktopExchangeSchema>

/**
 * Returns the person who confirmed a ceremony, and the applications of the workspace. It works once, in the browser that started,
 * while that person is still signed in. The result contains no credential. Throws `desktop-exchange-refused`, `unauthenticated`,
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

/** The person who is signed in at the hub, and all applications of the hub. It contains no credential. */
const workspaceSnapshot = ({ config }: App, { email }: Session): WorkspaceSnapshot => ({
  email,
  apps: (config.identity.hub?.apps ?? []).map(toSnapshotApp),
})

/**
 * Returns the snapshot for a desktop application that has signed in before. Throws `email-not-verified` and `not-a-real-account`.
 */
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
