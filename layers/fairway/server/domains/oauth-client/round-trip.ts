import { z } from 'zod'
import type { Language } from '#fairway/shared/languages'
import type { App } from '#fairway/server/kernel/app-context'
import { constantTimeEqual, sha256 } from '#fairway/server/kernel/crypto/hash'
import { createCodeVerifier, toCodeChallenge, randomHex } from '#fairway/server/kernel/crypto/random'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { cookiesByKey, cookieValues, setCookieValue } from '#fairway/server/kernel/http/cookie'
import { limits } from '#fairway/server/kernel/limits/limits'
import { rateLimit } from '#fairway/server/kernel/limits/rate-limit'
import { issueOneTime, type OneTimePurpose, spendOneTime } from '#fairway/server/kernel/one-time/one-time'
import { recordSecurityEvent } from '#fairway/server/kernel/security-events/record-security-event'
import type { ErrorCode } from '#fairway/shared/errors'
import { safeReturnPath } from '#fairway/shared/return-path'
import { signInPathFor } from '#fairway/shared/sign-in-path'
import { ProviderFailure } from './provider-failure'

// The round trip to a provider: authorization request, browser away, callback. Each use of the callback (signing in, connecting
// an account, the identity hub) is a flow.

/** How long a browser may stay at a provider: ten minutes. */
const LIFE_IN_SECONDS = 600
/** The most round trips of one flow that a browser can have open, for example in several tabs. */
const MOST_UNDER_WAY = 5
const STATE = /^[0-9a-f]{64}$/

const payloadSchema = z.object({
  provider: z.string(),
  /** Must be the same at the end: the provider, this application's client there, the redirect URI. */
  boundTo: z.array(z.string()),
  returnPath: z.string(),
  nonce: z.string(),
  /** The PKCE verifier; null when the browser keeps it. */
  verifier: z.string().nullable(),
})

type Payload = z.output<typeof payloadSchema>

/** One use of the round trip. */
export interface Flow {
  purpose: OneTimePurpose<Payload>
  /** The cookie of a round trip is `<cookie>.<key>`; on https no other host can set it (`__Host-`). */
  cookie: string
  /**
   * Set when the browser keeps the verifier in a cookie for the callback's path; the row then holds its hash. Without it, the row
   * holds the verifier, sealed.
   */
  verifierCookie?: { name: string; path: string }
  /** Where to go when the round trip is unknown. */
  returnPath?: string
}

/** Defines a flow with this name. */
export const defineFlow = ({ name, ...flow }: Omit<Flow, 'purpose'> & { name: string }): Flow => ({
  ...flow,
  purpose: { name, lifeInSeconds: LIFE_IN_SECONDS, payload: payloadSchema },
})

interface AuthorizationRequest {
  /** The provider's authorization endpoint. */
  endpoint: string
  provider: string
  clientId: string
  redirectUri: string
  /** Sent in addition to OAuth's own parameters. */
  parameters: Readonly<Record<string, string>>
  /** Whether an ID token is requested. */
  usesNonce?: boolean
  /** The values that `checkBinding` compares at the end. */
  boundTo: string[]
  /** Where to go afterwards; `/` when it is not a path of this app. */
  returnPath: unknown
  /** The user who connects or links an account. */
  userId?: string
  cookieHeader?: string
}

/**
 * Issues an authorization request (RFC 6749 §4.1.1) with a state of 32 random bytes in hex and a PKCE challenge (S256). Returns
 * the address to redirect to, and the cookies that bind the callback to this browser for ten minutes.
 */
export async function startRoundTrip(app: App, flow: Flow, request: AuthorizationRequest) {
  const { provider, clientId, redirectUri, usesNonce = false, userId, cookieHeader } = request
  const [state, nonce, verifier] = [randomHex(32), randomHex(32), createCodeVerifier()]
  await issueOneTime(app, flow.purpose, {
    secret: state,
    subject: userId,
    browser: flow.verifierCookie && verifier,
    payload: {
      provider,
      boundTo: request.boundTo,
      returnPath: safeReturnPath(request.returnPath, app.config.baseUrl),
      nonce,
      verifier: flow.verifierCookie ? null : verifier,
    },
  })
  const url = new URL(request.endpoint)
  const parameters = {
    ...request.parameters,
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    state,
    code_challenge: toCodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(usesNonce ? { nonce } : {}),
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return { url: url.href, setCookies: cookiesOfStart(app, flow, { state, verifier, cookieHeader }) }
}

/** The callback's request. */
export interface Callback {
  query: URLSearchParams
  clientAddress: string
  cookieHeader?: string
  requestId?: string
  /** The language of the browser. */
  language?: Language
}

/** A round trip that began in this browser and has not been used before. */
export interface RoundTrip extends Payload {
  state: string
  verifier: string
  /** The user who connects or links an account. */
  userId: string | null
  isExpired: boolean
}

interface Finish {
  /** The provider's name in security events; defaults to that of the round trip. */
  subject?: string
  /**
   * Handles the response and returns where to redirect to. ProviderFailure and AppError below 500 redirect to the sign-in page.
   */
  answer: (trip: RoundTrip) => Promise<{ location: string; setCookies?: string[] }>
  onFailure?: (failure: ProviderFailure) => Promise<void>
  /** Returns where to show the error; undefined means the sign-in page. */
  failedLocation?: (trip: RoundTrip, code: ErrorCode) => string | undefined
}

/**
 * Finishes a round trip: spends the state, then runs the flow's `answer`. A failure is recorded as a security event and redirects
 * to the sign-in page. Only the browser that started gets the return path. Throws `rate-limited`.
 */
export async function finishRoundTrip(app: App, flow: Flow, callback: Callback, finish: Finish) {
  const { query, clientAddress, cookieHeader, requestId } = callback
  const event = { subject: finish.subject, clientAddress, requestId }
  await rateLimit(app, limits.callbackPerAddress, addressKey(clientAddress)).catch(async (error: unknown) => {
    await recordSecurityEvent(app, { ...event, kind: 'callbacks-limited', reason: 'the limit for one address' })
    throw error
  })
  const state = singleParameter(query, 'state', STATE)
  const trip = state && (await spendRoundTrip(app, flow, state, cookieHeader))
  const setCookies = state ? cookiesOfEnd(app, flow, state, cookieHeader) : []
  try {
    const answer = await finish.answer(checkRoundTrip(trip))
    return { location: answer.location, setCookies: [...setCookies, ...(answer.setCookies ?? [])] }
  } catch (error) {
    const failure = toFlowFailure(error)
    await finish.onFailure?.(failure)
    const { kind, message, code } = failure
    // Operators can search for the code that the person saw.
    const reason = message === code ? code : `${code}: ${message}`
    const known = trip ? { subject: finish.subject ?? trip.provider, userId: trip.userId ?? undefined } : {}
    await recordSecurityEvent(app, { ...event, ...known, kind, reason })
    return { location: failedLocation(flow, finish, code, trip || undefined), setCookies }
  }
}

function failedLocation(flow: Flow, finish: Finish, error: ErrorCode, trip?: RoundTrip): string {
  const told = trip && finish.failedLocation?.(trip, error)
  return told ?? signInPathFor({ error, returnPath: trip ? trip.returnPath : flow.returnPath })
}

/** Adds one parameter to the query of a path of this app. */
export function withParameter(path: string, name: string, value: string): string {
  const url = new URL(path, 'http://any')
  url.searchParams.set(name, value)
  return url.pathname + url.search + url.hash
}

/** Returns the value of a parameter that occurs once (RFC 6749 §3.1) and matches this pattern; undefined otherwise. */
export function singleParameter(query: URLSearchParams, name: string, form: RegExp): string | undefined {
  const [value, ...more] = query.getAll(name)
  return value !== undefined && more.length === 0 && form.test(value) ? value : undefined
}

/** Checks that a round trip ends at the provider, client and redirect URI that it started with; throws ProviderFailure. */
export function checkBinding({ boundTo }: RoundTrip, expected: string[]): void {
  if (JSON.stringify(boundTo) === JSON.stringify(expected)) return
  throw new ProviderFailure('state-invalid', 'the state belongs to another provider or client')
}

function checkRoundTrip(trip: RoundTrip | '' | undefined): RoundTrip {
  if (!trip) throw new ProviderFailure('state-invalid', 'the state is missing, was used, or belongs to another browser')
  if (trip.isExpired) throw new ProviderFailure('state-invalid', 'the state has ended')
  return trip
}

function toFlowFailure(error: unknown): ProviderFailure {
  if (error instanceof ProviderFailure) return error
  // Our own faults (5xx) are thrown unchanged.
  if (!(error instanceof AppError) || error.status >= 500) throw error
  return new ProviderFailure('account-refused', error.code, { code: error.code, cause: error })
}

/**
 * Spends the state for the browser that holds its cookie. When the row holds the verifier, a browser without the cookie leaves
 * the state unspent. When the browser holds it, a state without its cookie was seen by someone else, so it is spent.
 */
async function spendRoundTrip(
  app: App,
  flow: Flow,
  state: string,
  cookieHeader: string | undefined,
): Promise<RoundTrip | undefined> {
  const { cookie, verifierCookie } = flow
  const key = keyOf(state)
  const isOurs = cookiesByKey(app.config, cookie, cookieHeader).some(
    ([known, value]) => known === key && (verifierCookie || constantTimeEqual(value.split('.')[1] ?? '', state)),
  )
  if (!isOurs && !verifierCookie) return undefined
  const spent = await spendOneTime(app, flow.purpose, state, { evenExpired: true })
  if (!spent || !isOurs) return undefined
  const verifier = verifierCookie
    ? cookieValues(app.config, `${verifierCookie.name}.${key}`, cookieHeader, verifierCookie.path).find(held =>
        constantTimeEqual(sha256(held), spent.browserHash ?? ''),
      )
    : spent.payload.verifier
  return verifier ? { ...spent.payload, state, verifier, userId: spent.subject, isExpired: spent.isExpired } : undefined
}

const keyOf = (state: string): string => sha256(state).slice(0, 16)

/**
 * The `Set-Cookie` values of a new round trip: its start time and, unless the browser keeps the verifier, the state. The oldest
 * beyond five are removed.
 */
function cookiesOfStart(
  app: App,
  flow: Flow,
  { state, verifier, cookieHeader }: { state: string; verifier: string; cookieHeader?: string },
): string[] {
  const { config } = app
  const { cookie, verifierCookie } = flow
  const begun = app.now().getTime()
  const open = cookiesByKey(config, cookie, cookieHeader)
    .map(([key, value]) => ({ key, begun: Number(value.split('.')[0]) || 0 }))
    .toSorted((a, b) => b.begun - a.begun)
  const key = keyOf(state)
  return [
    ...open.slice(MOST_UNDER_WAY - 1).flatMap(ended => endedCookies(app, flow, ended.key)),
    setCookieValue(config, `${cookie}.${key}`, verifierCookie ? `${begun}` : `${begun}.${state}`, LIFE_IN_SECONDS),
    ...(verifierCookie
      ? [setCookieValue(config, `${verifierCookie.name}.${key}`, verifier, LIFE_IN_SECONDS, verifierCookie.path)]
      : []),
  ]
}

/** The `Set-Cookie` values that remove the cookies of a round trip, if this browser has them. */
const cookiesOfEnd = (app: App, flow: Flow, state: string, cookieHeader = ''): string[] =>
  cookieHeader.includes(`.${keyOf(state)}=`) ? endedCookies(app, flow, keyOf(state)) : []

function endedCookies({ config }: App, { cookie, verifierCookie }: Flow, key: string): string[] {
  if (!/^[\w-]{1,64}$/.test(key)) return []
  return [
    setCookieValue(config, `${cookie}.${key}`, '', 0),
    ...(verifierCookie ? [setCookieValue(config, `${verifierCookie.name}.${key}`, '', 0, verifierCookie.path)] : []),
  ]
}
