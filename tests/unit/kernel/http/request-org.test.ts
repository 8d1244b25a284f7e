import { describe, expect, it } from 'vitest'
import { mountedNames } from '#fairway/server/kernel/http/request-info'
import { requestOrg, shownOrg, takeOrg, targetOfPage } from '#fairway/server/kernel/http/request-org'
import { shareTestApp } from '../../../support/use-app'

const test = shareTestApp()

describe('targetOfPage', () => {
  it.each([
    ['/o/acme', '/'],
    ['/o/acme?x=1', '/?x=1'],
    ['/o/acme/notes', '/notes'],
    ['/o/acme/notes/1?tab=2', '/notes/1?tab=2'],
    ['/o/Acme/notes', '/notes'],
    ['/o/a%2Fb/notes', '/notes'],
    ['/o/acme/o/other/notes', '/o/other/notes'],
  ])('is the page without the organization: %s', (target, page) => {
    expect(targetOfPage(test.app, target)).toBe(page)
  })

  it.each(['/', '/o', '/o?x', '/other/o/acme', '/on/acme', '/o/acme/_fw/session', '/o/acme/mcp', '/o/acme/sign-in'])(
    'leaves %s as it is',
    target => expect(targetOfPage(test.app, target)).toBe(target),
  )

  it('leaves the paths of collections as they are', () => {
    mountedNames(test.app).add('quotes')
    expect(targetOfPage(test.app, '/o/acme/quotes/1')).toBe('/o/acme/quotes/1')
  })
})

describe('takeOrg', () => {
  const taken = (target: string, method = 'GET', headers: Record<string, string> = {}) => [
    takeOrg({ method, headers }, target),
    headers['fw-org'],
  ]

  it('moves the organization from the query into the header', () => {
    expect(taken('/x?fw-org=acme')).toEqual(['/x', 'acme'])
    expect(taken('/x?a=1&fw-org=acme&b=%20', 'HEAD')).toEqual(['/x?a=1&b=%20', 'acme'])
    expect(taken('/x?fw-org=acme&fw-org=other')).toEqual(['/x', 'acme'])
  })

  it('leaves a header, other parameters and requests that write as they are', () => {
    expect(taken('/x?fw-org=acme', 'GET', { 'fw-org': 'own' })).toEqual(['/x', 'own'])
    expect(taken('/x?my-fw-org=acme')).toEqual(['/x?my-fw-org=acme', undefined])
    expect(taken('/x?fw-org=acme', 'POST')).toEqual(['/x?fw-org=acme', undefined])
  })
})

describe('requestOrg', () => {
  const named = (slug?: string) => requestOrg({ headers: slug === undefined ? {} : { 'fw-org': slug } })

  it('is the slug in lower case, and one of nobody without the form of a slug', () => {
    expect([named(), named('acme'), named('Acme'), named(''), named('a b')]).toEqual([
      undefined,
      'acme',
      'acme',
      '-',
      '-',
    ])
  })

  it('comes before the organization that the page shows', () => {
    const shown = { 'fw-shown-org': 'id' }
    expect([shownOrg({ headers: shown }), shownOrg({ headers: { ...shown, 'fw-org': 'acme' } })]).toEqual([
      'id',
      undefined,
    ])
  })
})
