const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Bytes as base32 without padding (RFC 4648 §6), the form in which authenticator apps take secrets. */
export function toBase32(bytes: Uint8Array): string {
  const bits = [...bytes].map(byte => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? []).map(five => ALPHABET[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')
}

/** The bytes behind a base32 text without padding; throws for other signs. */
export function fromBase32(text: string): Uint8Array {
  const bits = [...text].map(sign => {
    const value = ALPHABET.indexOf(sign)
    if (value < 0) throw new Error('this is not base32')
    return value.toString(2).padStart(5, '0')
  })
  return Uint8Array.from(bits.join('').match(/.{8}/g) ?? [], byte => Number.parseInt(byte, 2))
}
