import { describe, expect, it } from 'vitest'
import { safeReturnPath, sameOriginPath } from '#fairway/shared/return-path'

const ORIGIN = 'https://app.example.test'

describe('safeReturnPath', () => {
  it.each([
    ['/projects/7?tab=a#x', '/projects/7?tab=a#x'],
    ['/', '/'],
    ['/notes', '/notes'],
    ['/search?q=//evil.test', '/search?q=//evil.test'],
    ['/search?q=%5C%0d', '/search?q=%5C%0d'],
    ['/docs/sign-in', '/docs/sign-in'],
    ['/sign-in-help', '/sign-in-help'],
    ['/a/../b', '/b'],
    ['/caf%C3%A9', '/caf%C3%A9'],
    [`${ORIGIN}/team?x=1`, '/team?x=1'],
  ])('keeps %j', (value, expected) => {
    expect(safeReturnPath(value, ORIGIN)).toBe(expected)
  })

  it.each([
    '//evil.test',
    '///evil.test',
    '/\\evil.test',
    '\\\\evil.test',
    '/..//evil.test',
    '/.//evil.test',
    '/x/..//evil.test',
    '/%2e%2e//evil.test',
    '/%2f/evil.test',
    '/%2F%2Fevil.test',
    '/%252f%252fevil.test',
    '/%5cevil.test',
    '/%255cevil.test',
    '/.%2f/evil.test',
    'https://evil.test',
    'https:evil.test',
    'https://app.example.test.evil.test/',
    'https://app.example.test@evil.test/',
    'https://user@app.example.test/',
    'http://app.example.test/',
    'javascript:alert(1)',
    'data:text/html,x',
    ' /notes',
    '/a\tb',
    '/a\r\nSet-Cookie:x',
    '/a%0d%0aSet-Cookie:x',
    '/a%250d%250ab',
    '/a\u0000',
    '/a%00',
    '/%',
    '/%zz',
    'notes',
    '?x',
    '#x',
    '',
    `/${'a'.repeat(2048)}`,
    undefined,
    null,
    42,
    ['/notes', '/team'],
    { path: '/notes' },
  ])('returns / for %j', value => {
    expect(safeReturnPath(value, ORIGIN)).toBe('/')
  })

  it.each([
    '/sign-in',
    '/sign-in/',
    '/sign-in?return=/x',
    '/SIGN-IN',
    '/_fw/sign-in',
    '/_fw/sign-in?return=%2F',
    '/x/../sign-in',
  ])('returns / for the entry page %j', value => {
    expect(safeReturnPath(value, ORIGIN)).toBe('/')
  })

  it('returns a path on the same origin for any text', () => {
    const parts = [
      '/',
      '//',
      '\\',
      '..',
      '.',
      '%2e',
      '%2f',
      '%5c',
      '@',
      ':',
      'evil.test',
      '?',
      '#',
      '\t',
      'a',
      '%25',
      'https:',
    ]
    let seed = 7
    const next = () => (seed = (seed * 1103515245 + 12345) % 2147483648)
    for (let round = 0; round < 20_000; round++) {
      const text = Array.from({ length: 1 + (next() % 6) }, () => parts[next() % parts.length]).join('')
      const path = safeReturnPath(text, ORIGIN)
      expect(path.startsWith('/')).toBe(true)
      expect(new URL(path, ORIGIN).origin).toBe(ORIGIN)
      expect(path).not.toMatch(/^\/[\\/]/)
    }
  })
})

describe('sameOriginPath', () => {
  it('returns undefined for a foreign address, unlike for the start page', () => {
    expect(sameOriginPath('/', ORIGIN)).toBe('/')
    expect(sameOriginPath('//evil.test', ORIGIN)).toBeUndefined()
  })

  it('accepts the entry page, which safeReturnPath refuses', () => {
    expect(sameOriginPath('/sign-in', ORIGIN)).toBe('/sign-in')
  })
})
