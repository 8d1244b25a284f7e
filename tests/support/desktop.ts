import { toCodeChallenge } from '#server/foundation/crypto/pkce'
import { randomToken } from '#server/foundation/crypto/random'
import { A2A_SECRET } from './secrets'

/** An application that a hub knows, as its registry has it. */
export const registered = (appId: string, changes: Record<string, unknown> = {}) => ({
  appId,
  clientId: `${appId}-client`,
  origin: `https://${appId}.example.test`,
  callbackPath: '/_fw/identity/callback',
  capabilities: ['identity-sso'],
  ...changes,
})

/** The settings that make an installation a hub. */
export const hubEnv = (entries: unknown[] = [registered('mail')]) => ({
  A2A_SECRET,
  IDENTITY_SSO_APP_REGISTRY_JSON: JSON.stringify(entries),
})

/** What a desktop application makes up before it begins. */
export function aCeremony() {
  const verifier = randomToken(48)
  return { verifier, input: { codeChallenge: toCodeChallenge(verifier), nonce: randomToken(32) } }
}
