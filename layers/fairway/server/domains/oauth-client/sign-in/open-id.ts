import { z } from 'zod'
import { type ProviderProfile, verifyIdToken } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import type { OpenIdProvider } from '#fairway/server/kernel/config/sign-in-config'
import { clientSecretMethod, fetchJson } from '#fairway/server/kernel/http/fetch-json'
import { exchangeCode } from './exchange-code'
import { openIdMetadata, type OpenIdMetadata } from './open-id-metadata'
import type { ProviderProtocol } from './provider-protocol'
import { toProfile } from './provider-profile'

const userInfoSchema = z.looseObject({ sub: z.string() })

/** Signing in by OpenID Connect (Core 1.0 §3.1, authorization code flow with PKCE and nonce). */
export const openId: ProviderProtocol<OpenIdProvider> = {
  async authorizationRequest(app, provider, signal) {
    const { authorization_endpoint: url } = await openIdMetadata(app, provider, signal)
    return {
      url,
      parameters: { scope: 'openid email profile', ...(provider.prompt ? { prompt: provider.prompt } : {}) },
    }
  },

  async acceptsIssuer(app, provider, issuer, signal) {
    const metadata = await openIdMetadata(app, provider, signal)
    if (issuer === undefined) return metadata.authorization_response_iss_parameter_supported !== true
    return issuer === metadata.issuer
  },

  async readProfile(app, provider, { code, state, redirectUri, signal }): Promise<ProviderProfile> {
    const metadata = await openIdMetadata(app, provider, signal)
    const { accessToken, idToken } = await exchangeCode(app, {
      tokenUrl: metadata.token_endpoint,
      clientId: provider.clientId,
      clientSecret: provider.clientSecret,
      clientAuthentication: clientSecretMethod(
        provider.clientAuthentication,
        metadata.token_endpoint_auth_methods_supported,
      ),
      code,
      codeVerifier: state.codeVerifier,
      redirectUri,
      signal,
    })
    if (!idToken) throw new Error('the token endpoint answered without an ID token')
    const claims = await verifyIdToken(idToken, {
      issuer: metadata.issuer,
      clientId: provider.clientId,
      nonce: state.nonce,
      algorithms: metadata.id_token_signing_alg_values_supported,
      fetchKeys: () => fetchJson(app, metadata.jwks_uri, { signal }),
      keysOf: provider,
      now: app.now(),
    })
    const facts = {
      ...(claims.email === undefined ? await userInfo(app, metadata, accessToken, claims.sub, signal) : {}),
      ...claims,
    }
    return toProfile({
      provider: provider.id,
      accountId: claims.sub,
      email: facts.email,
      // Some providers send the word.
      emailVerified: facts.email_verified === true || facts.email_verified === 'true',
      name: facts.name,
      image: facts.picture,
    })
  },
}

/** What the userinfo endpoint adds; the person must be the one of the ID token (Core §5.3.2). */
async function userInfo(
  app: App,
  { userinfo_endpoint: url }: OpenIdMetadata,
  accessToken: string,
  subject: string,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  if (!url) return {}
  const headers = { authorization: `Bearer ${accessToken}` }
  const facts = userInfoSchema.parse(await fetchJson(app, url, { headers, signal }))
  if (facts.sub !== subject) throw new Error('the userinfo endpoint speaks of another person')
  return facts
}
