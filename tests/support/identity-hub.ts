import { createCodeVerifier, toCodeChallenge } from '#server/foundation/crypto/pkce'
import { randomToken } from '#server/foundation/crypto/random'

/** An application as the hub's registry knows it. */
export const registered = (appId: string, origin: string, more: object = {}) => ({
  appId,
  clientId: appId,
  origin,
  callbackPath: '/_fw/identity/callback',
  capabilities: ['identity-sso'],
  ...more,
})

/** What an application sends somebody to the hub with, and the verifier that it keeps. */
export function newRequest(appId: string, redirectUri: string) {
  const verifier = createCodeVerifier()
  const parameters: Record<string, string> = {
    response_type: 'code',
    app: appId,
    client_id: appId,
    redirect_uri: redirectUri,
    state: randomToken(32),
    code_challenge: toCodeChallenge(verifier),
    code_challenge_method: 'S256',
  }
  return { verifier, parameters, query: `?${new URLSearchParams(parameters)}` }
}
