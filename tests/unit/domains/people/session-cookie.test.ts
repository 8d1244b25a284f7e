import { describe, expect, it } from 'vitest'
import { readSessionTokens, sessionCookie, sessionCookieName } from '#fairway/server/domains/people'
import { createKeyRing } from '#fairway/server/kernel/crypto/seal'
import { OTHER_SECRET, SECRET } from '../../../support/secrets'

const config = { isHttps: false, keys: createKeyRing([SECRET]) }
const pairOf = (setCookie: string) => setCookie.split(';')[0] ?? ''

describe('session cookie', () => {
  it('has the __Host- prefix and Secure only on HTTPS', () => {
    expect(sessionCookieName(config)).toBe('fw.session_token')
    expect(sessionCookie('t', config)).not.toMatch(/Secure/)
    const secure = { ...config, isHttps: true }
    expect(sessionCookie('t', secure)).toMatch(/^__Host-fw\.session_token=.*Path=\/; HttpOnly; SameSite=Lax; Secure/)
    expect(sessionCookie('t', secure)).not.toMatch(/Domain/)
  })

  it('is read from a header with other cookies', () => {
    expect(readSessionTokens(`a=b; ${pairOf(sessionCookie('token-1', config))}; c=d`, config)).toEqual(['token-1'])
  })

  it('returns every token with a valid signature, in order', () => {
    const header = ['x', 'y'].map(token => pairOf(sessionCookie(token, config))).join('; ')
    expect(readSessionTokens(`fw.session_token=bad.bad; ${header}`, config)).toEqual(['x', 'y'])
  })

  it('is refused when the token, signature or key differs', () => {
    const pair = pairOf(sessionCookie('token-1', config))
    expect(readSessionTokens(pair.replace('token-1', 'token-2'), config)).toEqual([])
    expect(readSessionTokens(pair.slice(0, -6), config)).toEqual([])
    expect(readSessionTokens(pair, { ...config, keys: createKeyRing([OTHER_SECRET]) })).toEqual([])
    expect(readSessionTokens('fw.session_token=token-1', config)).toEqual([])
  })

  it('is still accepted with an earlier secret after a rotation', () => {
    const rotated = { ...config, keys: createKeyRing([OTHER_SECRET, SECRET]) }
    expect(readSessionTokens(pairOf(sessionCookie('token-1', config)), rotated)).toEqual(['token-1'])
  })
})
