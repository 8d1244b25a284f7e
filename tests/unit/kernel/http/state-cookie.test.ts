import { describe, expect, it } from 'vitest'
import { stateCookie } from '#fairway/server/kernel/http/cookie'

const config = { isHttps: false }
const cookie = stateCookie('provider_state')
const { with: withState, without: withoutState, has: hasState } = cookie
const states = Array.from({ length: 7 }, (_, index) => String(index).repeat(64))
const pairOf = (setCookie: string) => setCookie.split(';')[0] ?? ''
const kept = (header: string) => states.filter(state => hasState(state, header, config)).map(state => state[0])

describe('the cookie of the states', () => {
  it('keeps the five newest sign-ins of a browser', () => {
    const header = states.reduce((kept, state) => pairOf(withState(state, `a=b; ${kept}; c=d`, config)), '')
    expect(kept(header)).toEqual(['2', '3', '4', '5', '6'])
    expect(kept(pairOf(withoutState(states[3] ?? '', header, config)))).toEqual(['2', '4', '5', '6'])
  })

  it('goes with the last one', () => {
    const header = pairOf(withState(states[0] ?? '', undefined, config))
    expect(withoutState(states[0] ?? '', header, config)).toMatch(/=; Path=\/; .*Max-Age=0$/)
  })

  it('reads nothing but states, so nothing else is written back', () => {
    const header = `fw.provider_state=<x>.${states[1]}.${'g'.repeat(64)}.`
    expect(pairOf(withState(states[2] ?? '', header, config))).toBe(`fw.provider_state=${states[1]}.${states[2]}`)
  })

  it('carries the __Host- prefix and Secure on https', () => {
    expect(withState(states[0] ?? '', undefined, { isHttps: true })).toMatch(
      /^__Host-fw\.provider_state=0{64}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=600$/,
    )
  })
})
