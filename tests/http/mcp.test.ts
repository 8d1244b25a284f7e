import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBrowser, signUp, type TestBrowser } from '../support/http'
import { faultsOfSchemas, validatorsOf } from '../support/json-schema'
import { connectEarlierHost, connectHost, sendMessage } from '../support/mcp'
import { confirmAddress, query } from '../support/query'
import { STATIC_TOKEN } from '../support/secrets'
import { borrowServer, startServer, type TestServer } from '../support/server'

const ada = { email: 'ada@example.test', password: 'quiet harbour lantern 42', name: 'Ada' }
let server: TestServer
let browser: TestBrowser

beforeAll(async () => {
  server = await startServer({ env: { ACCESS_TOKEN: STATIC_TOKEN, FW_OWNER_EMAIL: ada.email } })
  browser = createBrowser(server.origin)
  await signUp(browser, ada)
  await confirmAddress(server, ada.email)
})
afterAll(() => server.stop())

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }

describe('MCP endpoint', () => {
  it('logs at start that the static token has no owner yet', () => {
    expect(server.log()).toContain('nobody has the address of FW_OWNER_EMAIL')
  })

  it('returns the same tools, rows and resources to hosts of both revisions', async () => {
    const host = await connectHost(server.origin)
    const earlier = await connectEarlierHost(server.origin)
    const names = (await host.listTools()).tools.map(tool => tool.name)
    expect(names).toEqual(expect.arrayContaining(['create-note', 'delete-note', 'list-notes', 'list-members']))
    expect((await earlier.listTools()).tools.map(tool => tool.name)).toEqual(names)

    await host.callTool({ name: 'create-note', arguments: { title: 'From a host', text: 'Hello' } })
    const found = await earlier.callTool({ name: 'list-notes', arguments: {} })
    expect(found.structuredContent).toMatchObject({ totalItems: 1, notes: [{ title: 'From a host' }] })
    const seen = await (await browser.get('/_fw/actions/list-notes')).json()
    expect(seen.result.notes[0]).toMatchObject({ title: 'From a host', ownerEmail: ada.email })

    const { resources } = await host.listResources()
    expect(resources.map(({ title }) => title)).toEqual(['From a host', 'Notes'])
    const [note] = (await host.readResource({ uri: resources[0]?.uri ?? '' })).contents
    expect(note).toMatchObject({ mimeType: 'text/markdown', text: '# From a host\n\nHello\n' })
    const [page] = (await earlier.readResource({ uri: 'ui://app/notes' })).contents
    expect(page).toMatchObject({ mimeType: 'text/html;profile=mcp-app' })
    expect((await host.listPrompts()).prompts.map(({ name }) => name)).toEqual(['summarize-notes'])
  })

  it('returns the name and the icon of the application to hosts of both revisions', async () => {
    for (const host of [await connectHost(server.origin), await connectEarlierHost(server.origin)])
      expect(host.getServerVersion()).toMatchObject({
        name: 'Fairway',
        title: 'Fairway',
        websiteUrl: server.origin,
        icons: [{ src: `${server.origin}/favicon.svg`, mimeType: 'image/svg+xml', sizes: ['any'] }],
      })
  })

  it('describes every tool with schemas that draft-07 and 2020-12 validators accept', async () => {
    const { tools } = await (await connectHost(server.origin)).listTools()
    expect(tools.length).toBeGreaterThan(10)
    for (const validator of [validatorsOf.draft07, validatorsOf.draft2020])
      expect(faultsOfSchemas(tools, validator)).toEqual([])
    expect(JSON.stringify(tools)).not.toContain('$schema')
    expect(JSON.stringify(tools)).not.toContain('"type":[')
  })

  it('remembers a person’s summary style in its prompt and suggests their subjects in this organization', async () => {
    const host = await connectHost(server.origin)
    const summary = async (args: Record<string, string>) =>
      JSON.stringify((await host.getPrompt({ name: 'summarize-notes', arguments: args })).messages)
    const offered = async (value: string) => {
      const ref = { type: 'ref/prompt' as const, name: 'summarize-notes' }
      return (await host.complete({ ref, argument: { name: 'subject', value } })).completion.values
    }
    expect(await offered('')).toEqual([])
    expect(await summary({ subject: 'harbour' })).toContain('as bullet points')
    expect(await summary({ subject: 'lighthouse', style: 'a table' })).toContain('as a table')
    expect(await summary({ subject: 'harbour' })).toContain('as a table')
    expect(await offered('')).toEqual(['harbour', 'lighthouse'])
    expect(await offered('light')).toEqual(['lighthouse'])
    const [state] = await query(server, 'select org_id from application_state')
    const { session } = await (await browser.get('/_fw/session')).json()
    expect(state).toMatchObject({ org_id: session.orgId })
  })

  it('returns 401 for a browser session, alone or with a wrong token', async () => {
    const cookie = browser.cookieHeader()
    for (const authorization of ['', 'Bearer wrong-token-wrong-token-wrong-token']) {
      const answer = await sendMessage(server.origin, list, { authorization, cookie, 'sec-fetch-site': 'same-origin' })
      expect([answer.status, answer.headers.get('cache-control')]).toEqual([401, 'no-store'])
      expect(answer.headers.get('www-authenticate')).toContain('/.well-known/oauth-protected-resource/mcp')
    }
    const asPage = await fetch(`${server.origin}/mcp`, { headers: { accept: 'text/html', cookie } })
    expect([asPage.status, asPage.headers.get('content-type')]).toEqual([401, 'application/problem+json'])
  })

  it('never returns a session cookie, and returns 404 for paths below', async () => {
    const answer = await sendMessage(server.origin, list)
    expect(answer.headers.getSetCookie()).toEqual([])
    expect((await fetch(`${server.origin}/mcp/nothing`)).status).toBe(404)
  })
})

describe('GET /_fw/mcp/catalog', () => {
  it('lists tools, resources and prompts with their scopes and roles for signed-in people', async () => {
    expect((await fetch(`${server.origin}/_fw/mcp/catalog`)).status).toBe(401)
    const { tools, resources, prompts, collections } = await (await browser.get('/_fw/mcp/catalog')).json()
    const byName = new Map(tools.map((tool: { name: string }) => [tool.name, tool]))
    expect(byName.get('list-notes')).toMatchObject({
      title: 'List notes',
      readOnly: true,
      destructive: false,
      scope: 'mcp:read',
      app: 'ui://app/notes',
      inputSchema: { type: 'object' },
    })
    expect(byName.get('list-notes')).not.toHaveProperty('roles')
    expect(byName.get('purge-archive')).toMatchObject({ destructive: true, scope: 'mcp:write' })
    expect(byName.get('list-notes')).toMatchObject({
      callers: { kind: 'signed-in' },
      group: 'notes',
      isPlatform: false,
    })
    expect(byName.get('purge-archive')).toMatchObject({
      callers: {
        kind: 'permissions',
        permissions: [{ name: 'notes:purge', text: 'Delete the organization’s archive for good' }],
      },
    })
    expect(byName.get('invite-member')).toMatchObject({
      callers: { kind: 'org-roles', roles: ['owner', 'admin'] },
      isPlatform: true,
    })
    // An action that is not offered to hosts is available to people only.
    expect(byName.get('copy-note-to-app')).not.toHaveProperty('scope')
    expect(collections.map(({ name }: { name: string }) => name).toSorted()).toEqual(['note-list', 'team-members'])
    expect(resources).toContainEqual(expect.objectContaining({ uri: 'notes://note/{id}', scope: 'mcp:read' }))
    expect(resources).toContainEqual(expect.objectContaining({ uri: 'ui://app/notes', scope: 'mcp:apps' }))
    expect(prompts).toMatchObject([{ name: 'summarize-notes', arguments: ['subject', 'style'] }])
  })
})

describe('Form information of tool fields', () => {
  it('is included for pages and omitted from the schema for hosts', async () => {
    const { tools } = await (await browser.get('/_fw/mcp/catalog')).json()
    const note = tools.find(({ name }: { name: string }) => name === 'get-note')
    expect(note.inputSchema.properties.id).toMatchObject({
      description: 'The id of the note.',
      collection: 'note-list',
    })
    const { tools: offered } = await (await connectHost(server.origin, STATIC_TOKEN)).listTools()
    const [{ inputSchema } = {}] = offered.filter(({ name }) => name === 'get-note')
    expect(inputSchema?.properties?.id).toEqual({
      type: 'string',
      minLength: 1,
      maxLength: 64,
      description: 'The id of the note.',
    })
  })
})

describe('MCP rate limit', () => {
  it('allows 600 requests for one grant, then returns 429 with Retry-After', async () => {
    const own = await borrowServer({
      env: { ACCESS_TOKEN: STATIC_TOKEN, FW_OWNER_EMAIL: ada.email, FW_RATE_LIMITS: 'on' },
    })
    await signUp(createBrowser(own.origin), ada)
    await confirmAddress(own, ada.email)
    const statuses: number[] = []
    for (let round = 0; round < 62; round++) {
      const answers = await Promise.all(Array.from({ length: 10 }, () => sendMessage(own.origin, list)))
      for (const answer of answers) {
        statuses.push(answer.status)
        if (answer.status === 429) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
        await answer.arrayBuffer()
      }
    }
    expect(statuses.filter(status => status === 200)).toHaveLength(600)
    expect(statuses.filter(status => status === 429)).toHaveLength(20)
    await own.stop()
  })
})
