import { expect, it } from 'vitest'
import { randomText, toChallenge } from '#fairway/desktop/hold-ceremony'

it('makes verifiers of 64 characters and nonces of 43, each once', () => {
  const verifiers = Array.from({ length: 200 }, () => randomText(48))
  expect(new Set(verifiers).size).toBe(200)
  expect(verifiers.every(verifier => /^[\w-]{64}$/.test(verifier))).toBe(true)
  expect(randomText(32)).toMatch(/^[\w-]{43}$/)
})

it('makes the challenge of RFC 7636, appendix B', async () => {
  expect(await toChallenge('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).toBe(
    'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  )
})
