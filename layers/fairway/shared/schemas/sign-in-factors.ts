/** A passkey as its owner sees it. */
export interface Passkey {
  id: string
  name: string
  createdAt: string
  lastUsedAt: string | null
  /** Whether the passkey is copied between devices. */
  backedUp: boolean
}

/** The accounts at providers that open a person's account, as `GET /_fw/linked-accounts` lists them. Times are ISO 8601 UTC. */
export interface LinkedAccounts {
  accounts: {
    /** For `DELETE /_fw/linked-accounts/{id}`. */
    id: string
    provider: string
    /** What people call the provider. */
    name: string
    /** The address that the provider named last; null when it was linked before that was kept. */
    email: string | null
    createdAt: string
    lastUsedAt: string | null
    /** Whether this application still offers the provider. */
    isOffered: boolean
  }[]
  /** The providers that can be linked. */
  available: { id: string; name: string }[]
}

export interface TwoFactorState {
  active: boolean
  activeSince: string | null
  backupCodesLeft: number
  /** Two-factor sign-in guards the password; without one there is nothing to guard. */
  hasPassword: boolean
  /** How many characters a password here has at least. */
  minPasswordLength: number
}

/** What an authenticator app needs: the address in the QR code, the secret in it for typing, and the code as SVG. */
export interface TwoFactorSecret {
  uri: string
  secret: string
  qr: string
}
