import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server'
import type { Config } from '#fairway/server/kernel/config/config'
import type { Session } from '#fairway/shared/schemas/session'
import { CHALLENGE_LIFE_IN_SECONDS } from './challenge'
import { relyingParty } from './relying-party'

/** The signatures that are accepted, as COSE algorithms, the preferred one first: EdDSA, ES256, RS256. */
export const ALGORITHMS = [-8, -7, -257]

// Both are written here: the library, which is large, is loaded when there is an answer to verify.
const timeout = CHALLENGE_LIFE_IN_SECONDS * 1000

interface KnownPasskey {
  credentialId: string
  transports: string
}

/** What a browser needs to make a passkey for a person: one that it finds by itself at sign-in and that its owner unlocks. */
export function creationOptions(
  config: Config,
  { userId, email, name }: Session,
  challenge: string,
  known: readonly KnownPasskey[],
): PublicKeyCredentialCreationOptionsJSON {
  return {
    challenge,
    timeout,
    rp: { id: relyingParty(config).rpId, name: config.name },
    user: { id: userHandleOf(userId), name: email, displayName: name },
    pubKeyCredParams: ALGORITHMS.map(alg => ({ type: 'public-key', alg })),
    attestation: 'none',
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    excludeCredentials: known.map(({ credentialId, transports }) => ({
      type: 'public-key',
      id: credentialId,
      transports: transports.split(',').filter(Boolean),
    })),
  }
}

/** What a browser needs to ask for a passkey of this application; it names no account. */
export const requestOptions = (config: Config, challenge: string): PublicKeyCredentialRequestOptionsJSON => ({
  challenge,
  timeout,
  rpId: relyingParty(config).rpId,
  userVerification: 'required',
  allowCredentials: [],
})

/** The user handle that a passkey keeps: the user's id, which says nothing about the person. */
export const userHandleOf = (userId: string): string => Buffer.from(userId).toString('base64url')
