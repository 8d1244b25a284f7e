import { z } from 'zod'
import type { ProviderProfile } from '#fairway/server/domains/people'
import type { GithubProvider } from '#fairway/server/kernel/config/sign-in-config'
import { fetchJson } from '#fairway/server/kernel/http/fetch-json'
import { exchangeCode } from './exchange-code'
import type { ProviderProtocol } from './provider-protocol'
import { toProfile } from './provider-profile'

const userSchema = z.object({
  id: z.int().positive(),
  login: z.string(),
  name: z.string().nullish(),
  avatar_url: z.string().nullish(),
})
const emailsSchema = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }))

/** Signing in with GitHub: OAuth 2.0 with PKCE, then its REST API for the person and their primary address. */
export const github: ProviderProtocol<GithubProvider> = {
  authorizationRequest: async (_app, { url }) => ({
    url: `${url}/login/oauth/authorize`,
    parameters: { scope: 'read:user user:email' },
  }),

  acceptsIssuer: async (_app, { url }, issuer) =>
    issuer === undefined || (URL.canParse(issuer) && new URL(issuer).origin === new URL(url).origin),

  async readProfile(app, provider, { code, state, redirectUri, signal }): Promise<ProviderProfile> {
    const { accessToken } = await exchangeCode(app, {
      tokenUrl: `${provider.url}/login/oauth/access_token`,
      clientId: provider.clientId,
      clientSecret: provider.clientSecret,
      clientAuthentication: 'post',
      code,
      codeVerifier: state.codeVerifier,
      redirectUri,
      signal,
    })
    const headers = {
      accept: 'application/vnd.github+json',
      authorization: `Bearer ${accessToken}`,
      'x-github-api-version': '2022-11-28',
    }
    const ask = (path: string) => fetchJson(app, `${provider.apiUrl}${path}`, { headers, signal })
    const [user, emails] = await Promise.all([ask('/user'), ask('/user/emails?per_page=100')])
    const { id, login, name, avatar_url: image } = userSchema.parse(user)
    // The profile's public address is a free text; only this list says what is verified.
    const primary = emailsSchema.parse(emails).find(address => address.primary)
    return toProfile({
      provider: provider.id,
      accountId: String(id),
      email: primary?.email,
      emailVerified: primary?.verified ?? false,
      name: name || login,
      image,
    })
  },
}
