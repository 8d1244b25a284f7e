import { z } from 'zod'
import { type PeerClaims, PeerTokenError, verifyPeerToken } from '#fairway/server/domains/peers'
import type { App } from '#fairway/server/kernel/app-context'
import type { HubClientConfig } from '#fairway/server/kernel/config/identity-config'
import { FailedAnswerError, fetchJson } from '#fairway/server/kernel/http/fetch-json'
import { IDENTITY_TOKEN_PATH } from '#fairway/shared/paths'
import { HubSignInFailure } from './hub-sign-in-failure'

/** For the request and its whole answer, so that nobody waits longer than ten seconds. */
const LIMIT_IN_MS = 8000
/** What a hub says to a code that it does not accept. Every other status means that it is no working hub. */
const REFUSALS = [400, 401, 403]

const answerSchema = z.object({ assertion: z.string().min(1) })
const addressSchema = z.string().toLowerCase().pipe(z.email().max(254))

/** All that the hub is believed: whose address it is, and how they signed in there. */
export interface HubPerson {
  /** Lower case. */
  email: string
  /** The provider that the hub names; it counts where the operator trusts the hub about it. */
  authProvider?: string
}

/** Exchanges a code for the hub's word, server to server, and gives who signed in there; throws HubSignInFailure. */
export async function redeemHubCode(
  app: App,
  client: HubClientConfig,
  { code, verifier }: { code: string; verifier: string },
): Promise<HubPerson> {
  const assertion = await askHub(app, client, { code, verifier })
  const claims = await verifyPeerToken(app, assertion, {
    type: 'identity+jwt',
    audience: client.callbackUrl,
    issuer: client.url,
  }).catch((cause: unknown) => {
    if (!(cause instanceof PeerTokenError)) throw cause
    throw refused(`the assertion is refused: ${cause.message}`, cause)
  })
  return personOf(claims, client)
}

async function askHub(
  app: App,
  { url, clientId, callbackUrl }: HubClientConfig,
  { code, verifier }: { code: string; verifier: string },
): Promise<string> {
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    client_id: clientId,
    redirect_uri: callbackUrl,
  })
  const signal = AbortSignal.timeout(LIMIT_IN_MS)
  const answer = await fetchJson(app, url + IDENTITY_TOKEN_PATH, { method: 'POST', form, signal }).catch(
    (cause: unknown) => {
      const reason = signal.aborted ? 'the hub did not answer in time' : messageOf(cause)
      const isRefusal = cause instanceof FailedAnswerError && REFUSALS.includes(cause.status)
      if (isRefusal) throw new HubSignInFailure({ kind: 'callback-failed', reason: 'the hub refused the code', cause })
      throw new HubSignInFailure({ kind: 'callback-failed', code: 'hub-unavailable', reason, cause })
    },
  )
  const parsed = answerSchema.safeParse(answer)
  if (parsed.success) return parsed.data.assertion
  const reason = 'the hub answered without an assertion'
  throw new HubSignInFailure({ kind: 'invalid-provider-response', code: 'hub-unavailable', reason })
}

function personOf(claims: PeerClaims, { clientId }: HubClientConfig): HubPerson {
  if (claims.client_id !== undefined && claims.client_id !== clientId) {
    throw refused('the assertion is for another client')
  }
  const email = addressSchema.safeParse(claims.email)
  if (claims.email_verified !== true || !email.success) {
    const reason = email.success ? 'the hub has not verified the address' : 'the hub names no address'
    throw new HubSignInFailure({ kind: 'account-refused', code: 'hub-email-not-verified', reason })
  }
  const { auth_provider: authProvider } = claims
  return { email: email.data, ...(typeof authProvider === 'string' ? { authProvider } : {}) }
}

const refused = (reason: string, cause?: unknown): HubSignInFailure =>
  new HubSignInFailure({ kind: 'invalid-provider-response', reason, cause })

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'unknown')
