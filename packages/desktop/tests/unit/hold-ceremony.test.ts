import { describe, expect, it } from 'vitest'
import { isCompletion, isOwnCeremony, randomText, toChallenge } from '../../src/hold-ceremony'

const HUB = 'https://hub.example.com'
const NONCE = 'n'.repeat(43)
const completionUrl = `${HUB}/_fw/desktop/complete?nonce=${NONCE}`

describe('isCompletion', () => {
  it('accepts exactly the agreed address', () => {
    expect(isCompletion(completionUrl, completionUrl)).toBe(true)
  })

  it.each([
    ['another origin', completionUrl.replace('hub.', 'evil.')],
    ['another port', completionUrl.replace('.com', '.com:8443')],
    ['http', completionUrl.replace('https', 'http')],
    ['a user in it', completionUrl.replace('https://', 'https://hub@')],
    ['another path', completionUrl.replace('complete', 'completed')],
    ['a slash more', completionUrl.replace('complete?', 'complete/?')],
    ['another nonce', completionUrl.replace(NONCE, 'm'.repeat(43))],
    ['a longer nonce', `${completionUrl}n`],
    ['no nonce', `${HUB}/_fw/desktop/complete`],
    ['a second nonce', `${completionUrl}&nonce=${NONCE}`],
    ['a fragment', `${completionUrl}#x`],
    ['the address as a parameter', `https://evil.example.com/?to=${encodeURIComponent(completionUrl)}`],
    ['no address', 'about:blank'],
    ['nothing', ''],
  ])('rejects %s', (_title, url) => {
    expect(isCompletion(url, completionUrl)).toBe(false)
  })
})

describe('isOwnCeremony', () => {
  const url = `${HUB}/_fw/desktop/ceremonies/1?nonce=${NONCE}`

  it('accepts addresses of the hub with our nonce at the end', () => {
    expect(isOwnCeremony({ url, completionUrl }, HUB, NONCE)).toBe(true)
  })

  it.each([
    ['a window elsewhere', { url: 'https://evil.example.com/', completionUrl }],
    ['a completion elsewhere', { url, completionUrl: completionUrl.replace('hub.', 'evil.') }],
    ['a completion with another nonce', { url, completionUrl: completionUrl.replace(NONCE, 'm'.repeat(43)) }],
    ['a completion with more than the nonce', { url, completionUrl: `${completionUrl}&x=1` }],
    ['a window that is a script', { url: 'javascript:1', completionUrl }],
    ['no addresses', { url: '', completionUrl: '' }],
  ])('returns false for %s', (_title, ceremony) => {
    expect(isOwnCeremony(ceremony, HUB, NONCE)).toBe(false)
  })
})

it('randomText creates unique verifiers of 64 characters, and nonces of 43 characters', () => {
  const verifiers = Array.from({ length: 200 }, () => randomText(48))
  expect(new Set(verifiers).size).toBe(200)
  expect(verifiers.every(verifier => /^[\w-]{64}$/.test(verifier))).toBe(true)
  expect(randomText(32)).toMatch(/^[\w-]{43}$/)
})

it('toChallenge returns the challenge of RFC 7636, appendix B', async () => {
  expect(await toChallenge('dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk')).toBe(
    'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  )
})
