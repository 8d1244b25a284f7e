import { describe, expect, it } from 'vitest'
import { suggestPasskeyName } from '#fairway/app/utils/words'

describe('suggestPasskeyName', () => {
  it.each([
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X)', 'iPhone'],
    ['Mozilla/5.0 (Linux; Android 16; Pixel 9)', 'Android'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)', 'Mac'],
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64)', 'Windows'],
    ['Mozilla/5.0 (X11; CrOS x86_64 14541.0.0)', 'Chromebook'],
    ['Mozilla/5.0 (X11; Linux x86_64)', 'Linux'],
    ['something else', 'Passkey'],
  ])('returns for %s the name %s', (userAgent, name) => {
    expect(suggestPasskeyName(userAgent)).toBe(name)
  })
})
