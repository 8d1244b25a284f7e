import type { ProviderProfile } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import type { SignInProvider } from '#fairway/server/kernel/config/sign-in-config'
import type { ProviderState } from './provider-state'

export interface CodeAnswer {
  code: string
  state: ProviderState
  redirectUri: string
  signal: AbortSignal
}

/** What differs between kinds of providers; everything throws when the provider does not answer as it should. */
export interface ProviderProtocol<P extends SignInProvider> {
  /** Where the browser goes, and what this kind of provider is asked beyond OAuth's own parameters. */
  authorizationRequest(
    app: App,
    provider: P,
    signal: AbortSignal,
  ): Promise<{ url: string; parameters: Record<string, string> }>
  /** Whether the `iss` of an answer is this provider's (RFC 9207 §2.4). */
  acceptsIssuer(app: App, provider: P, issuer: string | undefined, signal: AbortSignal): Promise<boolean>
  /** Exchanges the code and says who signed in. */
  readProfile(app: App, provider: P, answer: CodeAnswer): Promise<ProviderProfile>
}
