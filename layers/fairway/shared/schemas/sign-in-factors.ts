/** A passkey as its owner sees it. */
export interface Passkey {
  id: string
  name: string
  createdAt: string
  lastUsedAt: string | null
  /** Whether the passkey is copied between devices. */
  backedUp: boolean
}

export interface TwoFactorState {
  active: boolean
  activeSince: string | null
  backupCodesLeft: number
  /** Two-factor sign-in guards the password; without one there is nothing to guard. */
  hasPassword: boolean
}

/** What an authenticator app needs: the address in the QR code, the secret in it for typing, and the code as SVG. */
export interface TwoFactorSecret {
  uri: string
  secret: string
  qr: string
}
