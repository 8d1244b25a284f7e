// Requests to actions at their own addresses: one of the sample, and others that are declared here.
import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AppError, defineAction, requireOrgRole } from '#fw'
import { handlers } from '#fw/handlers'
import { serveAddresses, servedActions } from '#fairway/server/domains/actions'
import { withActionToken } from '#fairway/server/domains/mcp'
import { makePersonalToken } from '#fairway/server/domains/oauth-server'
import { requireRun } from '#fairway/server/kernel/current-run'
import { createBrowsers } from '#fairway/testing/callers'
import { createEdge } from '#fairway/testing/edge'
import { createPeople, sessionOf } from '#fairway/testing/people'
import { createTestApp } from '../../../support/app'
import { statusAndCode } from '../../../support/error-code'
import { query } from '../../../support/query'

const reports = '/api/reports/:year'
const fields = z.object({ year: z.int(), tags: z.array(z.string()).default([]), draft: z.boolean().default(false) })
const declared = [
  {
    name: 'show-report',
    action: defineAction({
      description: 'Shows a report.',
      method: 'GET',
      path: reports,
      readOnly: true,
      input: fields,
      output: fields,
      run: input => input,
    }),
  },
  {
    name: 'write-report',
    action: defineAction({
      description: 'Writes a report.',
      method: 'PUT',
      path: reports,
      status: 201,
      guard: requireOrgRole('admin'),
      audit: ['year'],
      input: fields,
      output: fields,
      run: input => input,
    }),
  },
  {
    name: 'drop-report',
    action: defineAction({
      description: 'Drops a report.',
      method: 'DELETE',
      path: reports,
      input: z.object({ year: z.int() }),
      limit: { per: 'person', max: 2, window: 60 },
      run: () => ({ dropped: true }),
    }),
  },
  {
    name: 'seal-report',
    action: defineAction({
      description: 'Seals a report.',
      method: 'POST',
      path: `${reports}/seal`,
      input: z.object({ year: z.int() }),
      timeout: 1,
      async run({ year }, { signal }) {
        if (!(await requireRun().hasRecentSignIn?.())) throw new AppError('fresh-session-required')
        if (year === 2000) await new Promise(resolve => signal.addEventListener('abort', resolve))
        if (year === 1900) throw new AppError('conflict')
      },
    }),
  },
]

const { app, close } = await createTestApp()
const handler = serveAddresses(servedActions(declared, withActionToken))
const own = [reports, `${reports}/seal`].map(route => ({ route, load: async () => ({ default: handler }) }))
const edge = createEdge(app, [...own, ...handlers])
const person = createPeople(app)
const send = createBrowsers(app, edge)
const ada = await person({ organization: 'Acme' })
const ben = await person({ organization: 'Acme' })
afterAll(async () => {
  await edge.close()
  await close()
})

const audits = (action: string) =>
  query(app, 'select outcome, input, via from audit_log where action = ? order by at, rowid', [action])

describe('an action at its address', () => {
  it('returns its output, from the parameters of the path and the query', async () => {
    const answer = await send(ada, '/api/reports/2031?tags=a&tags=b&draft=true&year=1999')
    expect([answer.status, await answer.json()]).toEqual([200, { year: 2031, tags: ['a', 'b'], draft: true }])
    expect((await send(ada, '/api/reports/2031', { method: 'HEAD' })).status).toBe(200)
  })

  it('reads a body by other methods, has its status and writes its audit row', async () => {
    const json = { tags: ['a'], year: 1999 }
    const answer = await send(ada, '/api/reports/2031', { method: 'PUT', json })
    expect([answer.status, await answer.json()]).toEqual([201, { year: 2031, tags: ['a'], draft: false }])
    expect(await audits('write-report')).toMatchObject([{ outcome: 'ok', input: expect.stringContaining('2031') }])
  })

  it('returns 204 without an output, 400 for a wrong parameter and 429 beyond its limit', async () => {
    const drop = (year: string) => send(ada, `/api/reports/${year}`, { method: 'DELETE' })
    const dropped = await drop('2031')
    expect([dropped.status, await dropped.text()]).toEqual([204, ''])
    expect(await statusAndCode(await drop('soon'))).toEqual([400, 'invalid-input'])
    expect(await statusAndCode(await drop('2031'))).toEqual([429, 'rate-limited'])
  })

  it('returns 405 with the methods of its address', async () => {
    for (const method of ['POST', 'PATCH', 'OPTIONS']) {
      const answer = await send(ada, '/api/reports/2031', { method })
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD, PUT, DELETE'])
    }
  })

  it('checks session, guard, origin and media type as by its name', async () => {
    const put = (who: typeof ada | null, more: object) =>
      send(who, '/api/reports/2031', { method: 'PUT', json: {}, ...more })
    expect(await statusAndCode(await send(null, '/api/reports/2031'))).toEqual([401, 'unauthenticated'])
    expect(await statusAndCode(await put(ben, {}))).toEqual([403, 'forbidden'])
    expect(await statusAndCode(await put(ada, { headers: { origin: 'https://a.example' } }))).toEqual([
      403,
      'cross-origin',
    ])
    expect(await statusAndCode(await put(ada, { headers: { 'content-type': 'text/plain' } }))).toEqual([
      415,
      'unsupported-media-type',
    ])
    expect((await audits('write-report')).at(-1)).toMatchObject({ outcome: 'denied' })
  })

  it('has its timeout and its errors, and can require a recent sign-in', async () => {
    const seal = (year: number) => send(ada, `/api/reports/${year}/seal`, { method: 'POST' })
    expect((await seal(2031)).status).toBe(204)
    expect(await statusAndCode(await seal(1900))).toEqual([409, 'conflict'])
    expect(await statusAndCode(await seal(2000))).toEqual([504, 'timed-out'])
    await query(app, 'update sessions set created_at = created_at - 960000')
    expect(await statusAndCode(await seal(2031))).toEqual([403, 'fresh-session-required'])
  })

  it('accepts API tokens with the scope that it needs', async () => {
    const input = { name: 'Script', scopes: ['mcp:read' as const], expiresInDays: 30 as const }
    const { token } = await makePersonalToken(app, await sessionOf(app, ada), input)
    const headers = { authorization: `Bearer ${token}` }
    expect((await send(null, '/api/reports/2031', { headers })).status).toBe(200)
    const refused = await send(null, '/api/reports/2031', { method: 'PUT', json: {}, headers })
    expect(await statusAndCode(refused)).toEqual([403, 'insufficient-scope'])
    expect(refused.headers.get('www-authenticate')).toContain('scope="mcp:write"')
  })
})

it('the build mounts the addresses of the actions that it finds', async () => {
  const created = await send(ada, '/_fw/actions/create-note', { method: 'POST', json: { title: 'Plan' } })
  const { note } = (await created.json()).result
  const byAddress = await send(ada, `/api/notes/${note.id}`)
  const byName = await send(ada, `/_fw/actions/get-note?id=${note.id}`)
  expect((await byName.json()).result).toEqual(await byAddress.json())
  expect(await statusAndCode(await send(ben, `/api/notes/${note.id}`))).toEqual([404, 'not-found'])
})

it('OpenAPI describes both addresses of an action, the one of its own by its name', async () => {
  const { paths } = await (await send(null, '/_fw/openapi.json')).json()
  expect(paths['/api/notes/{id}']).toMatchObject({
    get: {
      operationId: 'get-note',
      security: [{ session: [] }, { token: ['mcp:read'] }],
      parameters: [{ name: 'id', in: 'path', required: true }],
      responses: { 200: { content: { 'application/json': { schema: { required: ['note'] } } } } },
    },
  })
  const { get, post } = paths['/_fw/actions/get-note']
  expect([get.operationId, post.operationId]).toEqual(['get-note.get', 'get-note.call'])
})
