import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { isClosedToViews } from '#fairway/server/domains/sessions/view-as'

/** Routes that an operator may read while viewing as another person, and routes that never read a session. */
const OPEN = [
  '/.well-known/oauth-authorization-server',
  '/.well-known/oauth-authorization-server/mcp',
  '/.well-known/oauth-protected-resource',
  '/.well-known/oauth-protected-resource/mcp',
  '/_fw/actions/x',
  '/_fw/changes',
  '/_fw/files/x',
  '/_fw/files/x/x/x',
  '/_fw/form-ticket',
  '/_fw/health/live',
  '/_fw/health/ready',
  '/_fw/metrics',
  '/_fw/openapi.json',
  '/_fw/people/x/picture',
  '/_fw/session',
  '/mcp',
]

describe('isClosedToViews', () => {
  it('leaves only the listed platform routes open for GET requests', () => {
    const routes = new URL('../../../../layers/fairway/server/routes', import.meta.url)
    const paths = readdirSync(routes, { recursive: true, encoding: 'utf8' })
      .filter(file => file.endsWith('.ts'))
      .map(file => `/${file.replace(/(?:\.get)?\.ts$/, '').replace(/\/index$/, '')}`.replaceAll(/\[[^\]]+\]/g, 'x'))
    expect(paths.length).toBeGreaterThan(40)
    expect(paths.filter(path => !isClosedToViews('GET', path)).toSorted()).toEqual(OPEN)
  })

  it('closes all changes except action calls, and reads such as the account export', () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) expect(isClosedToViews(method, '/notes')).toBe(true)
    expect(isClosedToViews('POST', '/_fw/actions/list-notes')).toBe(false)
    expect(isClosedToViews('GET', '/_fw/account')).toBe(false)
    expect(isClosedToViews('GET', '/_fw/account/export')).toBe(true)
    expect(isClosedToViews('GET', '/_fw/connections')).toBe(false)
    expect(isClosedToViews('GET', '/_fw/connections/acme')).toBe(true)
  })
})
