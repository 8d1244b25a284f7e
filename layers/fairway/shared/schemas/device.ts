/** One signed-in browser of a person, as `GET /_fw/sessions` lists it; never a token. Times are ISO 8601 UTC. */
export interface Device {
  /** The id of the session, for `DELETE /_fw/sessions/{id}`. */
  id: string
  /** For example “Firefox”; null when the browser did not say who it is. */
  browser: string | null
  /** For example “Windows”; null when the browser did not say. */
  system: string | null
  /** The address of its last use. */
  address: string | null
  /** How the person proved who they are: `password`, `passkey`, `magic-link`, or the id of a provider. */
  provider: string
  createdAt: string
  /** Exact to five minutes. */
  lastUsedAt: string
  expiresAt: string
  /** Whether this is the one that asks. */
  current: boolean
}
