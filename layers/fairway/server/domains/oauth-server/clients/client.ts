import { OAuthError } from '../oauth-error'

/** An MCP host as this server knows it; all of them are public clients. */
export interface OAuthClient {
  id: string
  /** As it calls itself, without control and direction characters; null when it did not say. */
  name: string | null
  /** `document`: described at its own address, so its host is proven. `registered`: it registered itself, and nothing is. */
  source: 'document' | 'registered'
  /** The host of its metadata document; null for one that registered itself. */
  host: string | null
  redirectUris: string[]
  applicationType: 'web' | 'native'
  /** Whether it registered the grant type `refresh_token`: it means to stay connected. */
  renews: boolean
}

/** The refusal of a client; the description may be shown. */
export const refusedClient = (description: string, cause?: unknown): OAuthError =>
  new OAuthError('invalid_client', description, 400, { cause })
