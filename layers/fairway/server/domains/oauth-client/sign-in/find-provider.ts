import type { App } from '#fairway/server/kernel/app-context'
import type { SignInProvider } from '#fairway/server/kernel/config/sign-in-config'
import { AUTH_PREFIX } from '#fairway/shared/paths'
import { github } from './github'
import { openId } from './open-id'
import type { CodeAnswer, ProviderProtocol } from './provider-protocol'

/** The provider of this id with the protocol that it speaks, or undefined when it is not configured. */
export function findProvider(app: App, id: string) {
  const provider = app.config.signInProviders.find(candidate => candidate.id === id)
  if (!provider) return undefined
  return provider.kind === 'github' ? bind(app, provider, github) : bind(app, provider, openId)
}

function bind<P extends SignInProvider>(app: App, provider: P, protocol: ProviderProtocol<P>) {
  const redirectUri = `${app.config.baseUrl}${AUTH_PREFIX}/callback/${provider.id}`
  return {
    id: provider.id,
    clientId: provider.clientId,
    usesNonce: provider.kind === 'openid',
    redirectUri,
    authorizationRequest: (signal: AbortSignal) => protocol.authorizationRequest(app, provider, signal),
    acceptsIssuer: (issuer: string | undefined, signal: AbortSignal) =>
      protocol.acceptsIssuer(app, provider, issuer, signal),
    readProfile: (answer: Omit<CodeAnswer, 'redirectUri'>) =>
      protocol.readProfile(app, provider, { ...answer, redirectUri }),
  }
}
