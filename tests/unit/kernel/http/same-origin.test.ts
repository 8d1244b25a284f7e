import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { checkOwnPage, checkSameOrigin } from '#fairway/server/kernel/http/check-origin'

const BASE = 'https://app.example.test'

function isRefused(method: string, headers: Record<string, string>): boolean {
  const request = new IncomingMessage(new Socket())
  request.method = method
  Object.assign(request.headers, headers)
  try {
    checkSameOrigin(request, BASE)
    return false
  } catch (error) {
    expect(error).toMatchObject({ code: 'cross-origin', status: 403 })
    return true
  }
}

const cookie = 'fw.session_token=x'

describe('checkSameOrigin', () => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
    'refuses %s with a cookie from another site, a sibling site or an unknown source',
    method => {
      expect(isRefused(method, { cookie, 'sec-fetch-site': 'cross-site' })).toBe(true)
      expect(isRefused(method, { cookie, 'sec-fetch-site': 'same-site' })).toBe(true)
      expect(isRefused(method, { cookie, 'sec-fetch-site': 'garbage' })).toBe(true)
      expect(isRefused(method, { cookie })).toBe(true)
      expect(isRefused(method, { cookie, origin: 'https://evil.test' })).toBe(true)
      expect(isRefused(method, { cookie, origin: 'null' })).toBe(true)
      expect(isRefused(method, { cookie, origin: `${BASE}.evil.test` })).toBe(true)
    },
  )

  it('refuses another site even with the content type JSON', () => {
    const contentType = { 'content-type': 'application/json' }
    expect(isRefused('POST', { cookie, 'sec-fetch-site': 'cross-site', ...contentType })).toBe(true)
  })

  it('accepts requests of our own pages', () => {
    expect(isRefused('POST', { cookie, 'sec-fetch-site': 'same-origin' })).toBe(false)
    expect(isRefused('POST', { cookie, 'sec-fetch-site': 'none' })).toBe(false)
    expect(isRefused('POST', { cookie, origin: BASE })).toBe(false)
  })

  it.each<Record<string, string>>([{ cookie }, {}])(
    'refuses a request when either the origin or the site is foreign',
    own => {
      for (const site of ['same-origin', 'none'])
        for (const origin of [
          'https://evil.test',
          'null',
          '',
          `${BASE}/`,
          BASE.replace('https', 'http'),
          `${BASE}:8443`,
        ])
          expect([site, origin, isRefused('POST', { ...own, 'sec-fetch-site': site, origin })]).toEqual([
            site,
            origin,
            true,
          ])
      for (const site of ['cross-site', 'same-site', ''])
        expect([site, isRefused('POST', { ...own, 'sec-fetch-site': site, origin: BASE })]).toEqual([site, true])
    },
  )

  it('refuses a foreign request even without cookies, and accepts a program', () => {
    expect(isRefused('POST', { 'sec-fetch-site': 'cross-site' })).toBe(true)
    expect(isRefused('POST', { origin: 'https://evil.test' })).toBe(true)
    expect(isRefused('POST', {})).toBe(false)
  })

  it.each(['GET', 'HEAD', 'OPTIONS'])('never blocks %s', method => {
    expect(isRefused(method, { cookie, 'sec-fetch-site': 'cross-site' })).toBe(false)
  })
})

describe('checkOwnPage', () => {
  const isForeign = (headers: Record<string, string>): boolean => {
    const request = new IncomingMessage(new Socket())
    Object.assign(request.headers, { host: 'localhost:3000', ...headers })
    try {
      checkOwnPage(request, 'http://localhost:3000')
      return false
    } catch (error) {
      expect(error).toMatchObject({ code: 'forbidden', status: 403 })
      return true
    }
  }

  it.each<Record<string, string>>([
    {},
    { 'sec-fetch-site': 'same-origin' },
    { 'sec-fetch-site': 'none' },
    { origin: 'http://localhost:3000' },
    { origin: 'http://127.0.0.1:3000', host: '127.0.0.1:3000' },
  ])('accepts programs and our own pages, under any of our names: %j', headers => {
    expect(isForeign(headers)).toBe(false)
  })

  it.each<Record<string, string>>([
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'http://localhost:4321' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://localhost:3000', 'sec-fetch-site': 'cross-site' },
  ])('refuses a page of another origin, even when it only reads: %j', headers => {
    expect(isForeign(headers)).toBe(true)
  })
})
