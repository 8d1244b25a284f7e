import { describe, expect, it } from 'vitest'
import { canonicalTarget } from '#fairway/server/kernel/http/request-info'

describe('canonicalTarget', () => {
  it.each([
    ['/sign-in', '/sign-in'],
    ['/', '/'],
    ['//', '/'],
    ['/sign-in/', '/sign-in'],
    ['/sign-in///', '/sign-in'],
    ['//sign-in', '/sign-in'],
    ['/_fw//auth///sign-in/email/', '/_fw/auth/sign-in/email'],
    ['/./sign-in/.', '/sign-in'],
    ['/x/../sign-in', '/sign-in'],
    ['/../../sign-in', '/sign-in'],
    ['/%2e/sign-in', '/sign-in'],
    ['/x/%2E%2e/sign-in', '/sign-in'],
    ['/x/.%2e/sign-in', '/sign-in'],
    ['/sign%2Din', '/sign-in'],
    ['/%73%69gn-in', '/sign-in'],
    ['/_fw/%7Eada', '/_fw/~ada'],
    ['/sign-in?a=/x//y/../%2e&b', '/sign-in?a=/x//y/../%2e&b'],
    ['/sign-in/?', '/sign-in?'],
    ['/sign-in#x?y', '/sign-in'],
  ])('maps %s to %s', (sent, path) => {
    expect(canonicalTarget(sent)).toBe(path)
    expect(canonicalTarget(path)).toBe(path)
  })

  it.each(['/SIGN-IN', '/sign-in;x', '/a%2Fb', '/a%2fb', '/%252e%252e/x', '/a%3Fb', '/a%23b', '/caf%C3%A9', '/a%zz'])(
    'keeps %s, which is another path',
    path => expect(canonicalTarget(path)).toBe(path),
  )

  it.each(['', 'sign-in', 'http://evil.test/sign-in', '*', '?x', 'javascript:alert(1)'])('refuses %s', target => {
    expect(() => canonicalTarget(target)).toThrow(expect.objectContaining({ code: 'invalid-request' }))
  })
})
