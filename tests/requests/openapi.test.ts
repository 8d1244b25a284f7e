import { Validator } from '@seriousme/openapi-schema-validator'
import { beforeAll, describe, expect, it } from 'vitest'
import { FORM_TICKET_AGE_IN_MS } from '#fairway/shared/form-check'
import { createBrowser, type TestBrowser } from '../support/http'
import { readOpenApi } from '../support/openapi'
import { useServer } from '../support/use-server'
import { createTeamWorld } from '../support/team'

const server = useServer()
const world = createTeamWorld(server)
let openApi: Awaited<ReturnType<typeof readOpenApi>>
beforeAll(async () => {
  openApi = await readOpenApi(server.origin)
})

const ACTIONS = '/_fw/actions/'
const url = (name: string) => ACTIONS + name
const FORMATS = ['application/ld+json', 'application/json', 'application/vnd.api+json', 'application/hal+json']

/** Sends requests and records each response with another status or a shape that differs from the document. */
function checker() {
  const faults: string[] = []
  async function check(
    by: TestBrowser,
    [method, path, status]: [string, string, number],
    more: Parameters<TestBrowser['get']>[1] = {},
  ): Promise<string> {
    const answer = await by.request(path, { method, ...more })
    if (answer.status !== status) faults.push(`${method} ${path} is ${answer.status}, not ${status}`)
    const text = await answer.clone().text()
    faults.push(...(await openApi.faultsOf(method, path, answer)))
    return text
  }
  return { faults, check }
}

describe('GET /_fw/openapi.json', () => {
  it('is valid OpenAPI 3.1 with schemes for sessions, API tokens and embed tokens', async () => {
    const { valid, errors } = await new Validator().validate(openApi.document)
    expect([valid, errors]).toEqual([true, undefined])
    expect(openApi.document).toMatchObject({
      components: {
        securitySchemes: {
          session: { type: 'apiKey', in: 'cookie', name: 'fw.session_token' },
          token: { type: 'http', scheme: 'bearer' },
          embed: { type: 'http', scheme: 'bearer' },
        },
      },
      paths: {
        [url('create-note')]: { post: { security: [{ session: [] }, { token: ['mcp:write'] }] } },
        [url('get-note')]: { get: { security: [{ session: [] }, { token: ['mcp:read'] }] } },
        '/note-list': { get: { security: [{ session: [] }, { token: ['mcp:read'] }] } },
        '/note-list/{id}': { get: { security: [{ session: [] }, { token: ['mcp:read'] }] } },
      },
    })
    expect(openApi.document).toHaveProperty(
      ['paths', url('create-note'), 'post', 'responses'],
      Object.fromEntries(
        ['200', '400', '401', '403', '404', '413', '415', '429', '504', 'default'].map(status => [
          status,
          expect.any(Object),
        ]),
      ),
    )
    expect(JSON.stringify(openApi.document)).not.toMatch(/"collection(Field)?":/)
  })

  it('describes what every action returns', async () => {
    const { owner, member } = await world.team()
    const { faults, check } = checker()
    const role = { email: owner.email, role: 'curator' }
    await owner.browser.request('/_fw/org/app-roles', { method: 'PUT', json: role })
    const note = async (title: string): Promise<string> =>
      JSON.parse(await check(owner.browser, ['POST', url('create-note'), 200], { json: { title } })).result.note.id
    const [id, gone] = [await note('Plan'), await note('Gone')]
    const { ticket } = await (await owner.browser.get('/_fw/form-ticket')).json()
    const { id: teamId } = await (await owner.browser.post('/_fw/org/teams', { json: { name: 'Sales' } })).json()
    const message = { name: 'Maria Ortiz', email: 'maria@example.com', message: 'Hello' }
    await new Promise(resolve => setTimeout(resolve, FORM_TICKET_AGE_IN_MS))
    const inputs: Record<string, { input: object; status?: number; signedOut?: number }> = {
      'create-note': { input: { title: 'Third', pinned: true } },
      'get-note': { input: { id } },
      'list-notes': { input: {} },
      'search-notes': { input: { query: 'plan' } },
      'update-note': { input: { id, text: 'Cranes' } },
      'set-note-visibility': { input: { id, visibility: 'org' } },
      'share-note': { input: { id, email: member.email } },
      'list-note-shares': { input: { id } },
      'unshare-note': { input: { id, email: member.email } },
      'share-note-with-team': { input: { id, teamId } },
      'unshare-note-with-team': { input: { id, teamId } },
      'publish-note': { input: { id } },
      'get-published-note': { input: { id }, signedOut: 200 },
      'archive-note': { input: { id } },
      'archive-notes': { input: { ids: [id], archived: false } },
      'delete-note': { input: { id: gone } },
      'delete-notes': { input: { ids: [gone] } },
      'purge-archive': { input: {} },
      'list-members': { input: {} },
      'change-member-role': { input: { email: member.email, role: 'admin' } },
      'invite-member': { input: { email: 'new@example.test' } },
      // The action is public, and a ticket works once.
      'send-contact-message': { input: { ...message, check: { ticket, trap: '' } }, signedOut: 400 },
      // No other application exists.
      'copy-note-to-app': { input: { id, app: 'none' }, status: 403 },
    }
    const declared = openApi.paths.filter(path => path.startsWith(ACTIONS)).map(path => path.slice(ACTIONS.length))
    expect(Object.keys(inputs).toSorted()).toEqual(declared.toSorted())
    for (const [name, { input, status = 200, signedOut = 401 }] of Object.entries(inputs)) {
      await check(owner.browser, ['POST', url(name), status], { json: input })
      const query = new URLSearchParams(input as Record<string, string>)
      if (/^(get|list|search)-/.test(name)) await check(owner.browser, ['GET', `${url(name)}?${query}`, status])
      await check(owner.browser, ['POST', url(name), 400], { json: [] })
      await check(owner.browser, ['POST', url(name), 415], { json: input, headers: { 'content-type': 'text/plain' } })
      await check(owner.browser, ['PUT', url(name), 405], { json: {} })
      await check(createBrowser(server.origin), ['POST', url(name), signedOut], { json: input })
    }
    await check(owner.browser, ['POST', url('get-note'), 404], { json: { id: gone } })
    await check(member.browser, ['POST', url('delete-note'), 404], { json: { id } })
    await check(member.browser, ['POST', url('create-note'), 413], { json: { text: 'x'.repeat(1024 * 1024) } })
    expect(faults).toEqual([])
  })

  it('describes what every collection returns, in every format', async () => {
    const { owner } = await world.team()
    const { faults, check } = checker()
    await check(owner.browser, ['POST', url('create-note'), 200], { json: { title: 'Plan' } })
    await owner.browser.post('/_fw/org/teams', { json: { name: 'North' } })
    const lists = openApi.paths.filter(path => !path.startsWith('/_fw/') && !path.includes('{'))
    expect(lists).toEqual(['/note-list', '/organization-teams', '/team-members'])
    const made = await owner.browser.post('/_fw/tokens', {
      json: { name: 'W', scopes: ['mcp:write'], expiresInDays: 7 },
    })
    const authorization = `Bearer ${(await made.json()).token}`
    for (const path of lists) {
      for (const accept of FORMATS) {
        const headers = { accept }
        const [first] = JSON.parse(
          await check(owner.browser, ['GET', path, 200], { headers: { accept: FORMATS[0]! } }),
        ).member
        await check(owner.browser, ['GET', path, 200], { headers })
        await check(owner.browser, ['GET', `${path}?page=7&order[title]=desc`, 200], { headers })
        if (openApi.paths.includes(`${path}/{id}`)) {
          await check(owner.browser, ['GET', `${path}/${first.id}`, 200], { headers })
          await check(owner.browser, ['GET', `${path}/none`, 404], { headers })
        }
        await check(owner.browser, ['GET', `${path}?page=0`, 400], { headers })
        await check(createBrowser(server.origin), ['GET', path, 401], { headers })
        await check(createBrowser(server.origin), ['GET', path, 403], { headers: { ...headers, authorization } })
      }
      for (const format of ['csv', 'jsonl']) {
        const file = `${path}/export/${format}`
        await check(owner.browser, ['GET', `${file}?order[title]=desc`, 200])
        await check(createBrowser(server.origin), ['GET', file, 401])
        await check(createBrowser(server.origin), ['GET', file, 403], { headers: { authorization } })
      }
      await check(owner.browser, ['GET', `${path}/export/xlsx`, 404])
      await check(owner.browser, ['GET', path, 406], { headers: { accept: 'text/csv' } })
      await check(owner.browser, ['POST', path, 405], { json: {} })
    }
    expect(faults).toEqual([])
  })

  it('describes every action with its schema', async () => {
    const document = await (await fetch(`${server.origin}/_fw/openapi.json`)).json()
    expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Fairway' }, servers: [{ url: server.origin }] })
    const create = document.paths[url('create-note')]
    expect(create.get).toBeUndefined()
    expect(create.post).toMatchObject({
      operationId: 'create-note',
      'x-fairway': { readOnly: false, destructive: false, public: false, group: 'notes' },
    })
    expect(create.post.requestBody.content['application/json'].schema).toMatchObject({
      type: 'object',
      required: ['title'],
      properties: { title: { type: 'string', maxLength: 200 }, pinned: { type: 'boolean', default: false } },
    })
    const list = document.paths[url('list-notes')]
    expect(list.get.parameters.map((parameter: { name: string }) => parameter.name)).toEqual([
      'archived',
      'pinnedFirst',
      'page',
      'itemsPerPage',
    ])
    expect(
      list.post.responses['200'].content['application/json'].schema.properties.result.properties.totalItems.type,
    ).toBe('integer')
  })
})
