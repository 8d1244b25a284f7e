import { defineProvider } from '../define-provider'
import type { ProviderRecord } from '../provider'

interface OpenIdConnectInput {
  id: string
  name: string
  issuer: string
  clientAuthentication?: 'basic' | 'post' | 'none'
  scopes?: string[]
}

/** Any provider that speaks OpenID Connect and describes itself below its issuer. */
export const openIdConnect = ({ scopes, ...input }: OpenIdConnectInput): ProviderRecord =>
  defineProvider({
    ...input,
    scopes: scopes ?? ['openid', 'email', 'profile', 'offline_access'],
    openId: true,
    // OpenID Connect Core §11: offline access is given after a question only.
    authorizationParameters: { prompt: 'consent' },
  })
