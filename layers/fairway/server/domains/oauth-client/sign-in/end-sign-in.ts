import {
  linkProviderAccount,
  type ProviderProfile,
  leadOn,
  mintSession,
  type NewSession,
} from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { signInPathFor } from '#fairway/shared/sign-in-path'
import { rateLimit, refundRateLimit } from '../../../kernel/limits/rate-limit'
import { limits } from '../../../kernel/limits/limits'
import { CallbackFailure, recordFailedCallback, toReason } from './callback-failure'
import { findProvider } from './find-provider'
import { type CallbackAnswer, parseCallback } from './parse-callback'
import { redeemState, type RedeemedState } from './provider-state'
import { signInStateCookie } from './sign-in-state-cookie'

/** For all that is asked of the provider together, so that nobody waits longer than ten seconds. */
const LIMIT_IN_MS = 8000

interface EndInput {
  provider: string
  query: URLSearchParams
  clientAddress: string
  userAgent: string
  cookieHeader?: string
}

interface EndedSignIn {
  /** The path to go on to, or the sign-in page with what went wrong. */
  location: string
  setCookies: string[]
}

/** Ends signing in with a provider. What goes wrong is logged and leads to the sign-in page; throws `rate-limited` alone. */
export async function endProviderSignIn(app: App, input: EndInput): Promise<EndedSignIn> {
  await countCallback(app, input)
  const answer = parseCallback(input.query)
  const isOurs = answer.state !== undefined && signInStateCookie.has(answer.state, input.cookieHeader, app.config)
  const state = isOurs ? await redeemState(app, answer.state ?? '') : undefined
  const setCookies = isOurs ? [signInStateCookie.without(answer.state ?? '', input.cookieHeader, app.config)] : []
  try {
    checkState(state, input.provider)
    const profile = await askProvider(app, state, answer)
    const session = await signIn(app, profile, input)
    return { location: leadOn(session, state.returnPath), setCookies: [...setCookies, session.cookie] }
  } catch (error) {
    const { kind, code, message: reason } = toFailure(error)
    if (kind === 'provider-client-refused') await uncount(app, input)
    await recordFailedCallback(app, { ...input, kind, reason })
    return { location: signInPathFor({ error: code, returnPath: state?.returnPath }), setCookies }
  }
}

async function countCallback(app: App, input: EndInput): Promise<void> {
  try {
    await rateLimit(app, limits.callbackPerAddress, addressKey(input.clientAddress))
  } catch (error) {
    await recordFailedCallback(app, { ...input, kind: 'callbacks-limited', reason: 'the limit for one address' })
    throw error
  }
}

// A client that the provider does not accept is the operator's fault: whoever tries may try again.
async function uncount(app: App, { clientAddress }: EndInput): Promise<void> {
  const counted = [limits.providerStartPerAddress, limits.callbackPerAddress]
  await Promise.all(counted.map(limit => refundRateLimit(app, limit, addressKey(clientAddress))))
}

function checkState(state: RedeemedState | undefined, provider: string): asserts state is RedeemedState {
  const reason = stateFault(state, provider)
  if (reason) throw new CallbackFailure({ kind: 'state-validation-failed', reason })
}

function stateFault(state: RedeemedState | undefined, provider: string): string | undefined {
  if (!state) return 'the state is missing, was used, or belongs to another browser'
  if (state.provider !== provider) return 'the state belongs to another provider'
  return state.isExpired ? 'the state has ended' : undefined
}

/** Who signed in, by everything the provider answers; throws CallbackFailure. */
async function askProvider(app: App, state: RedeemedState, answer: CallbackAnswer): Promise<ProviderProfile> {
  const provider = findProvider(app, state.provider)
  if (!provider) throw new CallbackFailure({ kind: 'callback-failed', reason: 'the provider is not configured' })
  const signal = AbortSignal.timeout(LIMIT_IN_MS)
  const orInvalid = (cause: unknown): never => {
    if (cause instanceof CallbackFailure) throw cause
    throw new CallbackFailure({ kind: 'invalid-provider-response', reason: toReason(cause), cause })
  }
  if (!(await provider.acceptsIssuer(answer.issuer, signal).catch(orInvalid))) {
    throw new CallbackFailure({ kind: 'invalid-provider-response', reason: 'the answer is from another issuer' })
  }
  const code = requireCode(answer)
  return provider.readProfile({ code, state, signal }).catch(orInvalid)
}

function requireCode({ code, error, errorDescription }: CallbackAnswer): string {
  if (error === 'access_denied') {
    throw new CallbackFailure({ kind: 'connection-cancelled', code: 'sign-in-cancelled', reason: error })
  }
  if (error) throw new CallbackFailure({ kind: 'callback-failed', reason: [error, errorDescription].join(': ') })
  if (!code) throw new CallbackFailure({ kind: 'callback-failed', reason: 'there is no code' })
  return code
}

async function signIn(app: App, profile: ProviderProfile, { clientAddress, userAgent }: EndInput): Promise<NewSession> {
  const { provider } = profile
  const linked = await linkProviderAccount(app, profile)
  // An address that the account has taken since is not the one that the provider vouches for.
  const provesAddress = linked.email === profile.email
  return mintSession(app, { ...linked, provider, provesAddress, ipAddress: clientAddress, userAgent })
}

function toFailure(error: unknown): CallbackFailure {
  if (error instanceof CallbackFailure) return error
  // A fault of ours stays one.
  if (!(error instanceof AppError) || error.status >= 500) throw error
  return new CallbackFailure({ kind: 'account-refused', code: error.code, reason: error.code, cause: error })
}
