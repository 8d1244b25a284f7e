import { PeerTokenError, signPeerToken, verifyPeerToken } from '#fairway/server/domains/peers'
import type { App } from '#fairway/server/kernel/app-context'
import type { HubConfig } from '#fairway/server/kernel/config/identity-config'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { rateLimit } from '../../../kernel/limits/rate-limit'
import { limits } from '../../../kernel/limits/limits'
import { type AppClaim, registrationDifferences } from './find-registration'
import { describeDifference, type RegistrationAnswer } from './registration-answer'

/** Whom a token between hub and application speaks of when it only shows that both have the secret: no person. */
export const REGISTRATION_SUBJECT = 'identity-registration'

interface Asked extends AppClaim {
  /** The bearer token of the application that asks. */
  token: string | undefined
  clientAddress: string
}

/**
 * Tells an application that has the shared secret whether the hub knows it as it says, and signs the answer back to it.
 * Throws `unauthenticated` without a valid token, and `rate-limited`.
 */
export async function checkRegistration(app: App, hub: HubConfig, asked: Asked): Promise<RegistrationAnswer> {
  await rateLimit(app, limits.identityChecksPerAddress, addressKey(asked.clientAddress))
  const issuer = await issuerOf(app, asked.token)
  const differences = registrationDifferences(hub, asked)
  return {
    registered: differences.length === 0,
    ...(differences.length === 0 ? {} : { reason: differences.map(describeDifference).join('; ') }),
    differences,
    proof: await signPeerToken(app, { type: 'a2a+jwt', audience: issuer, subject: REGISTRATION_SUBJECT }),
  }
}

async function issuerOf(app: App, token: string | undefined): Promise<string> {
  const headers = { 'www-authenticate': 'Bearer' }
  if (!token) throw new AppError('unauthenticated', { headers })
  try {
    return (await verifyPeerToken(app, token, { type: 'a2a+jwt', audience: app.config.baseUrl })).iss
  } catch (error) {
    if (!(error instanceof PeerTokenError)) throw error
    app.log.warn('a check of the registration was refused', { reason: error.message })
    throw new AppError('unauthenticated', { headers, cause: error })
  }
}
