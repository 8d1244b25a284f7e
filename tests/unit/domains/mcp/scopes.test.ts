import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineEventHandler } from 'h3'
import { withPersonalToken } from '#fairway/server/domains/mcp'
import { defineAction, defineMcpApp, defineMcpPrompt, defineMcpResource } from '#fw'
import { answerTokenRequest, listGrants, makePersonalToken } from '#fairway/server/domains/oauth-server'
import type { Scope } from '#fairway/shared/scopes'
import type { Session } from '#fairway/shared/schemas/session'
import { backgroundDone } from '#fairway/server/kernel/background'
import { type McpApplication, startMcpApplication } from '../../../fixtures/mcp/application'
import { statusAndCode } from '../../../support/error-code'
import { connectEarlierHost, connectHost, sendMessage } from '../../../support/mcp'
import { addTo, aMember } from '../../../support/members'
import { approve, CLIENT_ID } from '../../../support/oauth-grant'
import { query } from '../../../support/query'
import { freePort } from '../../../support/server'
import { serveHandlers } from '../../../support/web-handlers'

const input = z.object({})
const html = '<!doctype html><html lang="en"><body>Notes</body></html>'
let written = 0
const actions = {
  'list-notes': defineAction({
    description: 'Lists.',
    readOnly: true,
    input,
    run: (_input, { session, orgId }) => ({ email: session.email, orgId }),
  }),
  'write-note': defineAction({ description: 'Writes.', input, run: () => ({ written: ++written }) }),
  'drop-note': defineAction({ description: 'Drops.', destructive: true, input, run: () => ({ written: ++written }) }),
}
const read = () => 'text'

let application: McpApplication
let ada: Session
let bob: Session
beforeAll(async () => {
  application = await startMcpApplication({
    declared: {
      actions: Object.entries(actions).map(([name, action]) => ({ name, group: 'test', action })),
      resources: [
        {
          name: 'about',
          declaration: defineMcpResource({ uri: 'notes://about', title: 'x', mimeType: 'text/plain', read }),
        },
      ],
      prompts: [{ name: 'sum', declaration: defineMcpPrompt({ title: 'x', description: 'x', build: read }) }],
      apps: [{ name: 'notes', declaration: defineMcpApp({ title: 'x', tools: ['list-notes'], html }) }],
    },
  })
  ada = await aMember(application.app, { name: 'Ada' })
  bob = await aMember(application.app, { name: 'Bob' })
})
afterAll(() => application.close())

async function tokenOf(person: Session, scope: readonly Scope[]): Promise<string> {
  const form = await approve(application.app, person, { scope })
  return (await answerTokenRequest(application.app, { form })).access_token
}

const send = (token: string, method: string, params: object = {}) =>
  sendMessage(application.origin, { jsonrpc: '2.0', id: 7, method, params }, { authorization: `Bearer ${token}` })

describe('MCP access token', () => {
  it.each([
    [['mcp:read'], ['notes://about'], 1],
    [['mcp:write'], [], 0],
    [['mcp:apps'], ['ui://app/notes'], 0],
    [['mcp:read', 'mcp:write', 'mcp:apps'], ['notes://about', 'ui://app/notes'], 1],
  ] as [Scope[], string[], number][])(
    'with %j lists the tools of every scope, and the documents and prompts of its own',
    async (scope, uris, prompts) => {
      const token = await tokenOf(ada, scope)
      for (const host of [
        await connectHost(application.origin, token),
        await connectEarlierHost(application.origin, token),
      ]) {
        const listed = (await host.listTools()).tools
        expect(listed.map(tool => tool.name)).toEqual(['drop-note', 'list-notes', 'write-note'])
        expect((await host.listResources()).resources.map(({ uri }) => uri)).toEqual(uris)
        expect((await host.listPrompts()).prompts).toHaveLength(prompts)
        const hasPage = listed.some(tool => tool._meta?.ui)
        expect(hasPage).toBe(scope.includes('mcp:apps'))
      }
    },
  )

  describe('tools that its person cannot grant', () => {
    const namesOf = async (token: string) => {
      const { tools } = await (await connectHost(application.origin, token)).listTools()
      return tools.map(({ name }) => name)
    }

    it('are not listed when the person left “Delete” empty', async () => {
      const form = await approve(application.app, ada, { scope: ['mcp:read', 'mcp:write'], mayDelete: false })
      const { access_token: token } = await answerTokenRequest(application.app, { form })
      expect(await namesOf(token)).toEqual(['list-notes', 'write-note'])
    })

    it('are not listed when the organization allows apps only to read', async () => {
      const token = await tokenOf(ada, ['mcp:read', 'mcp:write'])
      const limit = (on: number) =>
        query(application.app, 'update organizations set agents_read_only = ? where id = ?', [on, ada.orgId])
      await limit(1)
      expect(await namesOf(token)).toEqual(['list-notes'])
      const refused = await send(token, 'tools/call', { name: 'write-note' })
      expect(await statusAndCode(refused)).toEqual([403, 'agents-read-only'])
      const rows = await query(
        application.app,
        "select action, caller, via, user_id as userId, org_id as orgId, outcome from audit_log where error_code = 'agents-read-only'",
      )
      const row = { action: 'write-note', caller: 'mcp', via: CLIENT_ID, userId: ada.userId, orgId: ada.orgId }
      expect(rows).toEqual([{ ...row, outcome: 'denied' }])
      await limit(0)
      expect(await namesOf(token)).toContain('write-note')
    })

    it('leave an audit row when an API token calls them over HTTP', async () => {
      const { app } = application
      const input = { name: 'Script', scopes: ['mcp:read' as const, 'mcp:write' as const], expiresInDays: 7 as const }
      const { token } = await makePersonalToken(app, { ...bob, id: null }, input)
      const write = { action: 'write-note', keeps: [] }
      const answers = defineEventHandler(event =>
        withPersonalToken(event, { scope: 'mcp:write', write }, async () => 'no'),
      )
      const server = await serveHandlers(app, { routes: { '/write': answers } }, await freePort())
      await query(app, 'update organizations set agents_read_only = 1 where id = ?', [bob.orgId])
      const answer = await fetch(`${server.origin}/write`, { headers: { authorization: `Bearer ${token}` } })
      expect(await statusAndCode(answer)).toEqual([403, 'agents-read-only'])
      const rows = await query(app, 'select action, caller, via, outcome from audit_log where user_id = ?', [
        bob.userId,
      ])
      expect(rows).toEqual([{ action: 'write-note', caller: 'http', via: 'personal-token', outcome: 'denied' }])
      await query(app, 'update organizations set agents_read_only = 0')
      await server.stop()
    })

    it('are not listed for an API token, whose scopes never change', async () => {
      const { token } = await makePersonalToken(
        application.app,
        { ...ada, id: null },
        { name: 'x', scopes: ['mcp:read'], expiresInDays: 7 },
      )
      expect(await namesOf(token)).toEqual(['list-notes'])
    })
  })

  it.each([
    [['mcp:read'], 'tools/call', { name: 'write-note' }, 'mcp:read mcp:write'],
    [['mcp:read'], 'tools/call', { name: 'drop-note' }, 'mcp:read mcp:write'],
    [['mcp:write'], 'tools/call', { name: 'list-notes' }, 'mcp:read mcp:write'],
    [['mcp:read', 'mcp:write'], 'resources/read', { uri: 'ui://app/notes' }, 'mcp:read mcp:write mcp:apps'],
    [['mcp:apps'], 'resources/read', { uri: 'notes://about' }, 'mcp:read mcp:apps'],
    [['mcp:write'], 'prompts/get', { name: 'sum' }, 'mcp:read mcp:write'],
    [['mcp:write'], 'completion/complete', { ref: { type: 'ref/prompt', name: 'sum' } }, 'mcp:read mcp:write'],
  ] as [Scope[], string, object, string][])(
    'with %j returns 403 and the scopes required by %s of %j',
    async (scope, method, params, wanted) => {
      const answer = await send(await tokenOf(ada, scope), method, params)
      expect(await statusAndCode(answer)).toEqual([403, 'insufficient-scope'])
      expect(answer.headers.get('www-authenticate')).toBe(
        `Bearer resource_metadata="${application.origin}/.well-known/oauth-protected-resource/mcp", scope="${wanted}", error="insufficient_scope"`,
      )
      expect(written).toBe(0)
    },
  )

  it('returns each account’s own data for concurrent calls with the same message id', async () => {
    const tokens = [await tokenOf(ada, ['mcp:read']), await tokenOf(bob, ['mcp:read'])]
    const calls = Array.from({ length: 100 }, async (_, index) => {
      const answer = await send(tokens[index % 2]!, 'tools/call', { name: 'list-notes', arguments: {} })
      const { result } = await answer.json()
      expect(result.structuredContent.email).toBe(index % 2 === 0 ? ada.email : bob.email)
    })
    await Promise.all(calls)
  })

  it('works in its own organization, whichever is active in a browser, until the person leaves it', async () => {
    const guest = await aMember(application.app, { name: 'Guest' })
    await addTo(application.app, bob, guest, 'member')
    const token = await tokenOf({ ...guest, orgId: bob.orgId }, ['mcp:read'])
    const answer = await send(token, 'tools/call', { name: 'list-notes', arguments: {} })
    expect((await answer.json()).result.structuredContent).toEqual({ email: guest.email, orgId: bob.orgId })
    await query(application.app, 'delete from org_members where org_id = ? and user_id = ?', [bob.orgId, guest.userId])
    const after = await send(token, 'tools/call', { name: 'list-notes', arguments: {} })
    expect([after.status, after.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('invalid_token'),
    ])
  })

  it('is rejected on the next call after its grant was revoked', async () => {
    const token = await tokenOf(bob, ['mcp:read'])
    expect((await send(token, 'tools/list')).status).toBe(200)
    await query(application.app, 'update oauth_grants set revoked_at = ? where user_id = ?', [Date.now(), bob.userId])
    expect((await send(token, 'tools/list')).status).toBe(401)
  })

  it('records its last use in the background', async () => {
    const carol = await aMember(application.app, { name: 'Carol' })
    const token = await tokenOf(carol, ['mcp:read'])
    await query(application.app, 'update oauth_grants set last_used_at = null')
    await send(token, 'tools/list')
    await backgroundDone(application.app)
    const [grant] = await listGrants(application.app, carol)
    expect(grant).toMatchObject({ lastUsedAt: expect.any(String) })
  })
})
