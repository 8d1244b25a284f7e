import { constantTimeEqual, sha256 } from './hash'
import { randomAlphanumeric } from './random'

const VERIFIER_LENGTH = 64

/** What a code verifier may be (RFC 7636 §4.1). */
export const CODE_VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/
/** What a code challenge by `S256` is: a SHA-256 value as base64url (RFC 7636 §4.2). */
export const CODE_CHALLENGE = /^[A-Za-z0-9_-]{43}$/

/** A new code verifier (RFC 7636 §4.1): 64 random letters and digits. */
export const createCodeVerifier = (): string => randomAlphanumeric(VERIFIER_LENGTH)

/** The code challenge of a verifier by `S256`, the only method we use. */
export const toCodeChallenge = (verifier: string): string => sha256(verifier)

/** Whether a code challenge was made from this verifier (RFC 7636 §4.6); takes the same time for all of them. */
export const matchesChallenge = (codeChallenge: string, verifier: string): boolean =>
  constantTimeEqual(codeChallenge, toCodeChallenge(verifier))
