import { linkVerifiedAddress, leadOn, mintSession, type NewSession } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import type { HubClientConfig } from '#fairway/server/kernel/config/identity-config'
import { constantTimeEqual } from '#fairway/server/kernel/crypto/hash'
import { toCodeChallenge } from '#fairway/server/kernel/crypto/random'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { safeReturnPath } from '#fairway/shared/return-path'
import { signInPathFor } from '#fairway/shared/sign-in-path'
import { rateLimit } from '../../../kernel/limits/rate-limit'
import { limits } from '../../../kernel/limits/limits'
import { recordSecurityEvent } from '../../../kernel/security-events/record-security-event'
import { endFlow, verifiersOf } from './flow-cookies'
import { HubSignInFailure } from './hub-sign-in-failure'
import { type IdentityState, spendIdentityState } from './identity-state'
import { type HubCallback, parseHubCallback } from './parse-hub-callback'
import { type HubPerson, redeemHubCode } from './redeem-hub-code'

/** How sessions and links name this way to sign in. */
const PROVIDER = 'hub'

interface EndInput {
  query: URLSearchParams
  clientAddress: string
  userAgent: string
  cookieHeader?: string
  requestId?: string
}

interface EndedSignIn {
  /** The path to go on to, or the sign-in page with what went wrong. */
  location: string
  setCookies: string[]
}

/** A sign-in of this very browser. */
interface ProvedState extends IdentityState {
  verifier: string
}

/** Ends signing in through the hub. What goes wrong is recorded and leads to the sign-in page; throws `rate-limited`, and `not-found` where there is no hub. */
export async function endHubSignIn(app: App, input: EndInput): Promise<EndedSignIn> {
  const { client } = app.config.identity
  if (!client) throw new AppError('not-found')
  await countCallback(app, input)
  const answer = parseHubCallback(input.query)
  const { state } = answer
  const { cookieHeader } = input
  const row = state === undefined ? undefined : await spendIdentityState(app, state)
  const setCookies = state === undefined ? [] : endFlow(app, { state, cookieHeader })
  const proved = row && proveBrowser(row, state === undefined ? [] : verifiersOf(app, { state, cookieHeader }))
  try {
    checkState(app, client, proved)
    const person = await askForPerson(app, client, answer, proved)
    const session = await signIn(app, person, input)
    const returnPath = safeReturnPath(proved.returnPath, app.config.baseUrl)
    return { location: leadOn(session, returnPath), setCookies: [...setCookies, session.cookie] }
  } catch (error) {
    const { kind, code, message: reason } = toFailure(error)
    await record(app, input, kind, reason)
    // Only the browser that began learns where it was going.
    const returnPath = proved && safeReturnPath(proved.returnPath, app.config.baseUrl)
    return { location: signInPathFor({ error: code, returnPath }), setCookies }
  }
}

async function countCallback(app: App, input: EndInput): Promise<void> {
  try {
    await rateLimit(app, limits.callbackPerAddress, addressKey(input.clientAddress))
  } catch (error) {
    await record(app, input, 'callbacks-limited', 'the limit for one address')
    throw error
  }
}

function proveBrowser(row: IdentityState, verifiers: string[]): ProvedState | undefined {
  const verifier = verifiers.find(held => constantTimeEqual(toCodeChallenge(held), row.codeChallenge))
  return verifier === undefined ? undefined : { ...row, verifier }
}

function checkState(app: App, client: HubClientConfig, state: ProvedState | undefined): asserts state is ProvedState {
  const reason = stateFault(app, client, state)
  if (reason) throw new HubSignInFailure({ kind: 'state-validation-failed', code: 'hub-state-invalid', reason })
}

function stateFault(app: App, client: HubClientConfig, state: ProvedState | undefined): string | undefined {
  if (!state) return 'the state is missing, was used, or belongs to another browser'
  if (state.expiresAt <= app.now()) return 'the state has ended'
  const isOfClient =
    state.hubUrl === client.url &&
    state.appId === client.appId &&
    state.clientId === client.clientId &&
    state.redirectUri === client.callbackUrl
  return isOfClient ? undefined : 'the state belongs to another hub or client'
}

async function askForPerson(
  app: App,
  client: HubClientConfig,
  { code, error, issuer, hasToken }: HubCallback,
  { verifier }: ProvedState,
): Promise<HubPerson> {
  if (hasToken) throw new HubSignInFailure({ kind: 'callback-failed', reason: 'a token is in the address' })
  if (issuer !== undefined && issuer !== client.url) {
    throw new HubSignInFailure({ kind: 'invalid-provider-response', reason: 'the answer is from another issuer' })
  }
  if (error === 'access_denied') {
    throw new HubSignInFailure({ kind: 'connection-cancelled', code: 'sign-in-cancelled', reason: error })
  }
  if (error) throw new HubSignInFailure({ kind: 'callback-failed', reason: `the hub answered ${error}` })
  if (!code) throw new HubSignInFailure({ kind: 'callback-failed', reason: 'there is no code' })
  return redeemHubCode(app, client, { code, verifier })
}

async function signIn(
  app: App,
  { email, authProvider }: HubPerson,
  { clientAddress, userAgent }: EndInput,
): Promise<NewSession> {
  const isTrusted = authProvider !== undefined && app.config.identity.trustedProviders.includes(authProvider)
  const provider = isTrusted ? authProvider : PROVIDER
  const linked = await linkVerifiedAddress(app, { email, provider: PROVIDER })
  return mintSession(app, { ...linked, provider, provesAddress: true, ipAddress: clientAddress, userAgent })
}

function toFailure(error: unknown): HubSignInFailure {
  if (error instanceof HubSignInFailure) return error
  // A fault of ours stays one.
  if (!(error instanceof AppError) || error.status >= 500) throw error
  return new HubSignInFailure({ kind: 'account-refused', code: error.code, reason: error.code, cause: error })
}

const record = (
  app: App,
  { clientAddress, requestId }: EndInput,
  kind: HubSignInFailure['kind'],
  reason: string,
): Promise<void> => recordSecurityEvent(app, { kind, subject: PROVIDER, clientAddress, requestId, reason })
