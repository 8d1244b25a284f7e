import { defineProvider } from '../define-provider'

/** Google: OpenID Connect; `offline` and the consent page are what make it give a refresh token. */
export const google = defineProvider({
  id: 'google',
  name: 'Google',
  issuer: 'https://accounts.google.com',
  scopes: ['openid', 'email', 'profile'],
  openId: true,
  authorizationParameters: { access_type: 'offline', prompt: 'consent', include_granted_scopes: 'true' },
})
