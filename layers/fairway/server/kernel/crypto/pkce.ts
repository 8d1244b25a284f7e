import { sha256 } from './hash'
import { randomAlphanumeric } from './random'

const VERIFIER_LENGTH = 64

/** A new code verifier (RFC 7636 §4.1): 64 random letters and digits. */
export const createCodeVerifier = (): string => randomAlphanumeric(VERIFIER_LENGTH)

/** The code challenge of a verifier by `S256`, the only method we use. */
export const toCodeChallenge = (verifier: string): string => sha256(verifier)
