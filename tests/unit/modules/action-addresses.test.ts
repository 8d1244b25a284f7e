import { describe, expect, it } from 'vitest'
import { readAddress, routesOfActions, sharedAddresses } from '#fairway/modules/registry/action-addresses'
import { addressedActions } from '#fairway/modules/registry/catalogs'
import { sampleDir } from '../../../scripts/sample.mjs'

const options = `method: 'GET', path: '/api/reports/:id'`

describe('readAddress', () => {
  it('returns the method and path of an action from its syntax', () => {
    expect(readAddress(`export default defineAction({ ${options}, run })`)).toEqual({
      method: 'GET',
      route: '/api/reports/:id',
    })
  })

  it.each([
    ['has no address', `import path from 'node:path'; export default defineAction({ run })`],
    ['has a path that is computed', `export default defineAction({ method: 'GET', path: base + '/x' })`],
    ['has options from elsewhere', `const options = { ${options} }; export default defineAction(options)`],
    ['is exported under a name', `const action = defineAction({ ${options} }); export default action`],
    ['is broken', `export default defineAction({ ${options}`],
  ])('returns undefined for an action that %s', (_what, source) => {
    expect(readAddress(source)).toBeUndefined()
  })

  it('finds the addresses of the sample', () => {
    expect(addressedActions(sampleDir)).toContainEqual(
      expect.objectContaining({ name: 'get-note', address: { method: 'GET', route: '/api/notes/:id' } }),
    )
  })
})

const file = (name: string, method: string, route: string) => ({
  name,
  group: 'general',
  path: `${name}.ts`,
  address: { method, route },
})

describe('sharedAddresses', () => {
  it('names both files of an address that two actions have', () => {
    expect(sharedAddresses([file('a', 'GET', '/api/x/:id'), file('b', 'GET', '/api/x/:id')])).toEqual([
      'a.ts and b.ts: both are at GET /api/x/:id',
    ])
  })

  it('names both files of paths whose parameters have other names', () => {
    expect(sharedAddresses([file('a', 'GET', '/api/x/:id'), file('b', 'POST', '/api/x/:name')])).toEqual([
      'a.ts and b.ts: /api/x/:id and /api/x/:name must name their parameters alike',
    ])
  })

  it('accepts other methods, other paths and actions without an address', () => {
    const others = [file('b', 'DELETE', '/api/x/:id'), file('c', 'GET', '/api/x/latest')]
    const plain = { name: 'd', group: 'general', path: 'd.ts' }
    expect(sharedAddresses([file('a', 'GET', '/api/x/:id'), ...others, plain])).toEqual([])
  })
})

describe('routesOfActions', () => {
  it.each(['/api/x/:id', '/api/x/:other'])('names the file of a route at %s', route => {
    expect(routesOfActions([file('a', 'GET', '/api/x/:id')], [{ route, handler: 'server/api/x.ts' }])).toEqual([
      'a.ts and server/api/x.ts: both are at /api/x/:id',
    ])
  })

  it('accepts routes that a router tells apart, and middleware', () => {
    const routes = [{ route: '/api/x/latest', handler: 'x' }, { route: '/api/**', handler: 'x' }, { handler: 'x' }]
    expect(routesOfActions([file('a', 'GET', '/api/x/:id')], routes)).toEqual([])
  })
})
