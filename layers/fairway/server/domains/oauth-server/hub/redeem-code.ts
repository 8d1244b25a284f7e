import { PEER_TOKEN_LIFE_IN_SECONDS, signPeerToken } from '#fairway/server/domains/peers'
import type { App } from '#fairway/server/kernel/app-context'
import type { HubConfig } from '#fairway/server/kernel/config/identity-config'
import { constantTimeEqual } from '#fairway/server/kernel/crypto/hash'
import { toCodeChallenge } from '#fairway/server/kernel/crypto/random'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { rateLimit } from '../../../kernel/limits/rate-limit'
import { limits } from '../../../kernel/limits/limits'
import { recordSecurityEvent } from '../../../kernel/security-events/record-security-event'
import { isRegistered } from './find-registration'
import { findHubPerson } from './hub-person'
import { findIdentityCode, spendIdentityCode } from './identity-code'
import { TokenRefusal } from './token-refusal'
import type { TokenRequest } from './token-request'

/** What an application gets for a code: who somebody is, signed for its callback address. */
export interface IdentityToken {
  assertion: string
  token_type: 'identity-assertion'
  /** Seconds. */
  expires_in: number
}

interface Origin {
  clientAddress: string
  requestId: string
}

type SpentCode = NonNullable<Awaited<ReturnType<typeof spendIdentityCode>>>

const REFUSED = 'The code is not known, has ended, was used, or belongs to another request.'

/** Counts a request of the token endpoint for its network; to be called before its body is read. Throws `rate-limited`. */
export const countIdentityTokenRequest = (app: App, clientAddress: string): Promise<void> =>
  rateLimit(app, limits.identityTokensPerAddress, addressKey(clientAddress))

/**
 * Exchanges a code for an assertion. The first try uses the code up, whatever comes of it; throws TokenRefusal. A second use and
 * one that does not fit are recorded for operators.
 */
export async function redeemIdentityCode(
  app: App,
  hub: HubConfig,
  request: TokenRequest,
  from: Origin,
): Promise<IdentityToken> {
  const spent = await spendIdentityCode(app, request.code)
  if (!spent) throw await refuseUnspendable(app, request, from)
  const misfit = misfitOf(spent, request)
  if (misfit) {
    await recordSecurityEvent(app, { kind: 'identity-code-refused', ...aboutCode(spent, from), reason: misfit })
    throw new TokenRefusal('invalid_grant', REFUSED)
  }
  if (spent.expiresAt <= app.now()) throw new TokenRefusal('invalid_grant', REFUSED)
  if (!isRegistered(hub, spent)) {
    throw new TokenRefusal('unauthorized_client', 'The application is not registered any more.')
  }
  const person = await findHubPerson(app, spent.userId)
  if (!person || person.refusal) throw new TokenRefusal('invalid_grant', 'The account may not sign in any more.')
  const assertion = await signPeerToken(app, {
    type: 'identity+jwt',
    audience: spent.redirectUri,
    subject: person.id,
    claims: { email: person.email, email_verified: true, auth_provider: spent.provider, client_id: spent.clientId },
  })
  app.log.info('identity asserted', { app: spent.appId, userId: person.id, requestId: from.requestId })
  return { assertion, token_type: 'identity-assertion', expires_in: PEER_TOKEN_LIFE_IN_SECONDS }
}

/** What of a request is not that of the code, in words without a value. */
function misfitOf(spent: SpentCode, { clientId, redirectUri, verifier }: TokenRequest): string | undefined {
  if (spent.clientId !== clientId) return 'it came with another client id'
  if (spent.redirectUri !== redirectUri) return 'it came with another redirect address'
  if (!constantTimeEqual(spent.codeChallenge, toCodeChallenge(verifier))) return 'it came with another verifier'
  return undefined
}

async function refuseUnspendable(app: App, { code }: TokenRequest, from: Origin): Promise<TokenRefusal> {
  const known = await findIdentityCode(app, code)
  if (known?.redeemedAt) {
    const ageInSeconds = Math.round((app.now().getTime() - known.redeemedAt.getTime()) / 1000)
    const reason = `used again after ${ageInSeconds} s`
    await recordSecurityEvent(app, { kind: 'identity-code-replayed', ...aboutCode(known, from), reason })
  }
  return new TokenRefusal('invalid_grant', REFUSED)
}

const aboutCode = ({ appId, userId }: SpentCode, { clientAddress, requestId }: Origin) => ({
  subject: appId,
  userId,
  clientAddress,
  requestId,
})
