// Checks that hold for every declared operation. The tests of each domain check its behavior.
import { beforeAll, describe, expect, it } from 'vitest'
import { findOperations } from '#fairway/modules/registry/operation-files'
import { statusAndCode } from '../support/error-code'
import { createBrowser, type TestBrowser } from '../support/http'
import { readOpenApi } from '../support/openapi'
import { query } from '../support/query'
import { useServer } from '../support/use-server'
import { createTeamWorld } from '../support/team'

const operations = findOperations().map(operation => ({ ...operation, at: operation.path.replaceAll(/:\w+/g, 'none') }))

const server = useServer({ env: { FW_OPERATORS: 'operator@example.test,early@example.test' } })
let openApi: Awaited<ReturnType<typeof readOpenApi>>
let owner: TestBrowser
let member: TestBrowser
let operator: TestBrowser
/** An owner and operator who signed in 16 minutes ago. */
let early: TestBrowser
let nobody: TestBrowser
beforeAll(async () => {
  openApi = await readOpenApi(server.origin)
  const world = createTeamWorld(server)
  const team = await world.team()
  owner = team.owner.browser
  member = team.member.browser
  operator = (await world.person({ email: 'operator@example.test' })).browser
  const person = await world.person({ email: 'early@example.test' })
  await query(server, 'update sessions set created_at = created_at - 960000 where user_id = ?', [person.userId])
  early = person.browser
  nobody = createBrowser(server.origin)
})

const describedAt = (path: string, method: string) =>
  Object(openApi.described(path.replaceAll(/:(\w+)/g, '{$1}'), method))

const acceptsTokens = (path: string, method: string): boolean => describedAt(path, method).security.length > 1

/** Sends a call with a malformed body, except for GET, which has none. */
const callBadly = (by: TestBrowser, at: string, method: string) =>
  method === 'GET' ? by.get(at) : by.request(at, { method, body: '{', headers: { 'content-type': 'application/json' } })

describe.each(operations)('$name', ({ name, domain, method, path, at }) => {
  it('returns 401 without a session, before it reads the body', async () => {
    const answer = await nobody.request(at, { method })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(await statusAndCode(answer)).toEqual([401, 'unauthenticated'])
    expect(await statusAndCode(await callBadly(nobody, at, method))).toEqual([401, 'unauthenticated'])
  })

  it('checks its required role and recent sign-in before it reads the body', async () => {
    const { roles = ['member'], recentSignIn, operators } = describedAt(path, method)['x-fairway']
    if (operators) expect(await statusAndCode(await callBadly(owner, at, method))).toEqual([404, 'not-found'])
    if (!roles.includes('member'))
      expect(await statusAndCode(await callBadly(member, at, method))).toEqual([403, 'forbidden'])
    if (recentSignIn)
      expect(await statusAndCode(await callBadly(early, at, method))).toEqual([403, 'fresh-session-required'])
  })

  it('is described in OpenAPI under its name, with every response that it returned', async () => {
    const { operationId, security } = describedAt(path, method)
    // The id includes the domain where an action has the same name.
    expect([name, `${domain}.${name}`]).toContain(operationId)
    expect(security).toEqual(
      acceptsTokens(path, method) ? [{ session: [] }, { token: ['operator'] }] : [{ session: [] }],
    )
    const faults = await openApi.faultsOf(method, at, await nobody.request(at, { method }))
    if (method === 'GET' && at === path) faults.push(...(await openApi.faultsOf(method, at, await owner.get(at))))
    expect(faults).toEqual([])
  })

  it('accepts API tokens only if it is for operators', () => {
    if (acceptsTokens(path, method)) expect(describedAt(path, method)['x-fairway'].operators).toBe(true)
  })

  it('rejects a body that is not a JSON object, if it reads one', async () => {
    const { requestBody, 'x-fairway': needs } = describedAt(path, method)
    if (!requestBody?.content['application/json']) return
    const send = (body: string, type = 'application/json') =>
      (needs.operators ? operator : owner).request(at, { method, body, headers: { 'content-type': type } })
    expect(await statusAndCode(await send('{'))).toEqual([400, 'malformed-json'])
    expect(await statusAndCode(await send('[]'))).toEqual([400, 'invalid-input'])
    expect(await statusAndCode(await send('{}', 'text/plain'))).toEqual([415, 'unsupported-media-type'])
    for (const body of ['"x"', '{"__proto__":{"role":"owner"}}', '{"email":{},"role":[],"name":9,"orgId":{}}'])
      expect((await send(body)).status, body).toBeLessThan(500)
  })
})

it.each([...Map.groupBy(operations, ({ at }) => at)])(
  '%s supports only the methods of its operations',
  async (at, these) => {
    const methods = new Set(these.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))
    // Browsers start a connection at the address of the operation that ends it.
    if (at.startsWith('/_fw/connections/')) for (const method of ['GET', 'HEAD']) methods.add(method)
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter(each => !methods.has(each))) {
      const answer = await owner.request(at, { method })
      expect(await statusAndCode(answer)).toEqual([405, 'method-not-allowed'])
      expect(new Set(answer.headers.get('allow')?.split(', '))).toEqual(methods)
    }
  },
)
