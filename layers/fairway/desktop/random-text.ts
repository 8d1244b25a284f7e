const toBase64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCodePoint(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

/** So many random bytes as base64url: 32 bytes are 43 characters, 48 are 64. */
export const randomText = (bytes: number): string => toBase64Url(crypto.getRandomValues(new Uint8Array(bytes)))

/** The S256 challenge of a verifier (RFC 7636 §4.2). */
export async function toChallenge(verifier: string): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))))
}
