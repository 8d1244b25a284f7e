interface Offered {
  /** The provider's id. */
  provider: string
  name: string
  requestedScopes: string[]
}

/** A provider and what a person has connected there; times are ISO 8601 UTC. */
export type Connection =
  | (Offered & { status: 'not-connected' })
  | (Offered & {
      /** `unreadable`: there is a token, but no key of ours opens it. */
      status: 'connected' | 'reconnect-required' | 'unreadable'
      /** Who the person is at the provider. */
      account: string | null
      scopes: string[]
      /** When the access token ends; null when the provider did not say. */
      expiresAt: string | null
      renewsItself: boolean
      connectedAt: string | null
      refreshedAt: string | null
    })
