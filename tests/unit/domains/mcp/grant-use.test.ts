import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineEventHandler } from 'h3'
import { defineAction } from '#fw'
import { countGrantCalls } from '#fairway/server/domains/actions'
import { withActionToken, withPersonalToken } from '#fairway/server/domains/mcp'
import { answerTokenRequest, listGrants, makePersonalToken } from '#fairway/server/domains/oauth-server'
import { listPersonalTokens, requireGrant } from '#fairway/server/domains/oauth-server/grants'
import { narrowGrant } from '#fairway/server/domains/oauth-server/narrow-grant'
import { backgroundDone } from '#fairway/server/kernel/background'
import type { GrantPart } from '#fairway/shared/schemas/connection'
import type { Scope } from '#fairway/shared/scopes'
import type { Session } from '#fairway/shared/schemas/session'
import { type McpApplication, startMcpApplication } from '../../../fixtures/mcp/application'
import { refusalOf, statusAndCode } from '../../../support/error-code'
import { sendMessage } from '../../../support/mcp'
import { aMember } from '../../../support/members'
import { ALL_SCOPES, approve, CLIENT_ID, renewal } from '../../../support/oauth-grant'
import { query } from '../../../support/query'
import { freePort } from '../../../support/server'
import { serveHandlers } from '../../../support/web-handlers'

const input = z.object({})
const run = () => ({ done: true })
const actions = {
  'list-notes': defineAction({ description: 'Lists.', readOnly: true, input, run }),
  'write-note': defineAction({ description: 'Writes.', input, run }),
  'drop-note': defineAction({ description: 'Drops.', destructive: true, input, run }),
}
const DAY_IN_MS = 24 * 60 * 60 * 1000

let application: McpApplication
let ada: Session
beforeAll(async () => {
  application = await startMcpApplication({
    declared: {
      actions: Object.entries(actions).map(([name, action]) => ({ name, group: 'test', action })),
      resources: [],
      prompts: [],
      apps: [],
    },
  })
})
afterAll(() => application.close())
beforeEach(async () => {
  ada = await aMember(application.app, { name: 'Ada' })
})

interface Connected {
  id: string
  token: string
  refreshToken: string | undefined
}

/** Connects a host, and returns its latest grant. */
async function connect(more: { scope?: readonly Scope[]; mayDelete?: boolean } = {}): Promise<Connected> {
  const form = await approve(application.app, ada, { asksFirst: false, ...more })
  const { access_token: token, refresh_token: refreshToken } = await answerTokenRequest(application.app, { form })
  const [row] = await query(
    application.app,
    'select id from oauth_grants where user_id = ? order by created_at desc, id desc limit 1',
    [ada.userId],
  )
  return { id: String(row?.id), token, refreshToken }
}

const call = async (token: string, name: string) => {
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } }
  const answer = await sendMessage(application.origin, message, { authorization: `Bearer ${token}` })
  await backgroundDone(application.app)
  return answer
}
const listed = async () => (await listGrants(application.app, ada))[0]
const narrow = (id: string, parts: readonly GrantPart[], owner: Session = ada) =>
  narrowGrant(application.app, { userId: owner.userId }, { id, parts })
const grantRow = async (id: string) =>
  (await query(application.app, 'select scope, may_delete as mayDelete from oauth_grants where id = ?', [id]))[0]

describe('the use of a grant', () => {
  it.each([
    [[], [], ['mcp:write'], true],
    [['list-notes'], ['read'], ['mcp:write'], false],
    [['write-note'], ['write'], ['delete'], false],
    [['drop-note'], ['delete'], [], false],
    [['list-notes', 'write-note', 'drop-note'], ['read', 'write', 'delete'], [], false],
  ])('after %j is %j, and %j is unused', async (names, uses, unused, isIdle) => {
    const { token } = await connect()
    for (const name of names) expect((await call(token, name)).status).toBe(200)
    const grant = await listed()
    const used = Object.entries(grant?.usedAt ?? {}).flatMap(([use, at]) => (at === null ? [] : [use]))
    expect({ used, unused: grant?.unused, isIdle: grant?.isIdle }).toEqual({ used: uses, unused, isIdle })
  })

  it('does not count a list, nor a tool that was withheld from the app', async () => {
    const { token } = await connect({ mayDelete: false })
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    await sendMessage(application.origin, list, { authorization: `Bearer ${token}` })
    await call(token, 'drop-note')
    expect(await listed()).toMatchObject({ isIdle: true, unused: ['mcp:write'] })
  })

  it('counts as unused 30 days later', async () => {
    const { token, id } = await connect()
    await call(token, 'drop-note')
    const before = application.app.now().getTime() - 31 * DAY_IN_MS
    await query(application.app, 'update oauth_grants set deleted_at = ? where id = ?', [before, id])
    expect(await listed()).toMatchObject({ isIdle: true, unused: ['mcp:write'] })
  })

  it('is written at most once an hour', async () => {
    const { token, id } = await connect()
    const recent = application.app.now().getTime() - 59 * 60 * 1000
    await query(application.app, 'update oauth_grants set written_at = ? where id = ?', [recent, id])
    await call(token, 'write-note')
    const [row] = await query(application.app, 'select written_at as at from oauth_grants where id = ?', [id])
    expect(row?.at).toBe(recent)
  })

  it('names the actions of this grant alone, with their number of calls', async () => {
    const one = await connect()
    for (const name of ['write-note', 'write-note', 'drop-note', 'list-notes']) await call(one.token, name)
    const other = await connect()
    await call(other.token, 'drop-note')
    const countOf = async ({ id }: Connected) =>
      (await countGrantCalls(application.app, await requireGrant(application.app, id, { userId: ada.userId }), 0)).map(
        ({ action, times }) => [action, times],
      )
    expect(await countOf(one)).toEqual([
      ['write-note', 2],
      ['drop-note', 1],
    ])
    expect(await countOf(other)).toEqual([['drop-note', 1]])
  })
})

describe('removing what a grant did not use', () => {
  it('applies to the next call of the same token, which meets the challenge for more', async () => {
    const { id, token } = await connect()
    await call(token, 'list-notes')
    await narrow(id, ['mcp:write'])
    expect(await grantRow(id)).toEqual({ scope: 'mcp:read offline_access', mayDelete: 0 })
    const refused = await call(token, 'write-note')
    expect(await statusAndCode(refused)).toEqual([403, 'insufficient-scope'])
    expect(refused.headers.get('www-authenticate')).toContain('scope="mcp:read mcp:write", error="insufficient_scope"')
    expect((await call(token, 'list-notes')).status).toBe(200)
  })

  it('removes permission to delete alone', async () => {
    const { id, token } = await connect()
    await call(token, 'write-note')
    await narrow(id, ['delete'])
    expect(await grantRow(id)).toEqual({ scope: ALL_SCOPES.join(' '), mayDelete: 0 })
    expect(await (await call(token, 'drop-note')).json()).toMatchObject({
      result: { isError: true, _meta: { 'fairway/error': { code: 'deletion-not-allowed' } } },
    })
    expect(await (await call(token, 'write-note')).json()).toMatchObject({ result: { structuredContent: run() } })
  })

  it('stays when a token is renewed, also by a client that asks for everything it had', async () => {
    const { id, token, refreshToken } = await connect()
    await call(token, 'list-notes')
    await narrow(id, ['mcp:write'])
    const scopeOf = (form: Record<string, string>) => answerTokenRequest(application.app, { form })
    const renewed = await scopeOf({ ...renewal(refreshToken), scope: 'mcp:read mcp:write offline_access' })
    expect(renewed.scope).toBe('mcp:read offline_access')
    const next = renewal(renewed.refresh_token)
    expect(await refusalOf(scopeOf({ ...next, scope: 'mcp:apps' }))).toBe('invalid_scope')
    expect((await scopeOf(next)).scope).toBe('mcp:read offline_access')
  })

  it.each([
    ['was used', 'write-note', ['mcp:write'], {}],
    ['is all that the grant has', 'list-notes', ['mcp:write'], { scope: ['mcp:write'] as Scope[] }],
  ] as const)('answers conflict for what %s, and changes nothing', async (_why, name, parts, more) => {
    const { id, token } = await connect(more)
    await call(token, name)
    const before = await grantRow(id)
    expect(await refusalOf(narrow(id, parts))).toBe('conflict')
    expect(await grantRow(id)).toEqual(before)
  })

  it('offers and changes nothing for an agent that a customer manages', async () => {
    const { id, token } = await connect()
    await call(token, 'list-notes')
    await query(application.app, `update oauth_grants set assertion_issuer = 'https://idp.example' where id = ?`, [id])
    expect((await listed())?.unused).toEqual([])
    expect(await refusalOf(narrow(id, ['mcp:write']))).toBe('conflict')
  })

  it('answers not-found for the grant of another person', async () => {
    const { id } = await connect()
    const other = await aMember(application.app)
    expect(await refusalOf(narrow(id, ['mcp:write'], other))).toBe('not-found')
  })

  it('leaves the narrower of two simultaneous changes', async () => {
    const { id, token } = await connect()
    await call(token, 'list-notes')
    await Promise.all([narrow(id, ['delete']), narrow(id, ['mcp:write']), narrow(id, ['mcp:write'])])
    expect(await grantRow(id)).toEqual({ scope: 'mcp:read offline_access', mayDelete: 0 })
  })
})

describe('an API token', () => {
  it('loses what it did not use over HTTP: operating, then deleting', async () => {
    const { app } = application
    const scopes = ['mcp:read' as const, 'mcp:write' as const]
    const { token, id } = await makePersonalToken(app, { ...ada, id: null }, { name: 'x', scopes, expiresInDays: 7 })
    await query(app, `update oauth_grants set scope = scope || ' operator' where id = ?`, [id])
    const done = async () => 'done'
    const answers = {
      '/write': defineEventHandler(event => withActionToken(event, { name: 'w', action: actions['write-note'] }, done)),
      '/drop': defineEventHandler(event => withActionToken(event, { name: 'd', action: actions['drop-note'] }, done)),
      '/operate': defineEventHandler(event => withPersonalToken(event, { scope: 'operator' }, done)),
    }
    const server = await serveHandlers(app, { routes: answers }, await freePort())
    const statusOf = async (path: string) => {
      const { status } = await fetch(server.origin + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
      })
      await backgroundDone(app)
      return status
    }
    expect(await statusOf('/write')).toBe(200)
    const [shown] = await listPersonalTokens(app, ada.userId)
    expect(shown).toMatchObject({ isIdle: false, unused: ['delete', 'operator'] })
    await narrow(id, shown?.unused ?? [])
    expect([await statusOf('/write'), await statusOf('/drop'), await statusOf('/operate')]).toEqual([200, 403, 403])
    await server.stop()
  })
})

it('an app of a member is found by its organization', async () => {
  const { id } = await connect()
  expect(await requireGrant(application.app, id, { orgId: ada.orgId ?? '' })).toMatchObject({ clientId: CLIENT_ID })
  expect(await refusalOf(requireGrant(application.app, id, { orgId: 'another' }))).toBe('not-found')
})
