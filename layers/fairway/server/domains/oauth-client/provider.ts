import type { ClientAuthentication } from '#fairway/server/kernel/http/fetch-json'

/** Asks the provider's API for JSON with the new access token. */
export type AskProvider = (url: string) => Promise<unknown>

/** Who somebody is at a provider: an id that stays, and a name that people recognise. */
export interface ProviderAccount {
  id: string
  label: string
}

/** How one external provider is spoken to; one record for each, no flow code in it. */
export interface ProviderRecord {
  /** Lower-case letters, digits and hyphens; part of `/_fw/connections/<id>`. */
  id: string
  name: string
  /** Describes its endpoints itself (OpenID Connect Discovery, RFC 8414); else `endpoints` does. */
  issuer?: string
  endpoints?: {
    authorization?: string
    token: string
    revocation?: string
    userinfo?: string
  }
  /** Asked for when somebody connects. */
  scopes: readonly string[]
  /** `authorization_code` connects people; `client_credentials` is this application itself. */
  grant: 'authorization_code' | 'client_credentials'
  /** How the client proves itself at the token endpoint; `none` is a public client (PKCE alone). Left out, `clientSecretMethod` decides. */
  clientAuthentication?: ClientAuthentication
  /** Whether an ID token is asked for and checked. */
  openId: boolean
  /** Sent with every authorization request, for example `access_type: 'offline'`. */
  authorizationParameters: Readonly<Record<string, string>>
  /** Who has connected, when no ID token says it. */
  readAccount?: (ask: AskProvider) => Promise<ProviderAccount>
}

/** A provider with the client that this application has there. */
export interface ConfiguredProvider extends ProviderRecord {
  clientId: string
  /** Missing for public clients. */
  clientSecret?: string
}
