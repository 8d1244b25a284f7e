import { beforeAll, describe, expect, it } from 'vitest'
import { createBrowser, signUp, type TestBrowser } from '../support/http'
import { connectEarlierHost, connectHost } from '../support/mcp'
import { useServer } from '../support/use-server'

const server = useServer()
const ada = { email: 'ada@example.test', password: 'quiet harbour lantern 42', name: 'Ada' }
let browser: TestBrowser
let id: string
let token: string

const call = (name: string, input: object, query = '') => browser.post(`/_fw/actions/${name}${query}`, { json: input })
const titles = async () => {
  const { result } = await (await call('list-notes', {})).json()
  return result.notes.map((note: { title: string }) => note.title)
}

beforeAll(async () => {
  browser = createBrowser(server.origin)
  await signUp(browser, ada)
  id = (await (await call('create-note', { title: 'Milk' })).json()).result.note.id
  const answer = await browser.post('/_fw/tokens', {
    json: { name: 'Script', scopes: ['mcp:read', 'mcp:write'], expiresInDays: 7 },
  })
  token = (await answer.json()).token
})

describe('a rehearsal', () => {
  const deletion = () => ({ table: 'notes', id, kind: 'deleted', title: 'Milk', after: null })

  it('answers an action with what it would change', async () => {
    const answer = await call('delete-note', { id }, '?rehearse=true')
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ rehearsal: { changes: [deletion()], mails: 0, jobs: [] } })
    expect(await titles()).toEqual(['Milk'])
  })

  it('is refused for what reaches other systems', async () => {
    const answer = await call('copy-note-to-app', { id, app: 'other' }, '?rehearse=1')
    expect([answer.status, (await answer.json()).code]).toEqual([409, 'cannot-rehearse'])
  })

  it.each([
    ['2026-07-28', connectHost],
    ['2025-11-25', connectEarlierHost],
  ])('answers a tool call of revision %s, without a question', async (_revision, connect) => {
    const host = await connect(server.origin, token)
    const meta = { _meta: { 'fairway/rehearse': true } }
    const result = await host.callTool({ name: 'delete-note', arguments: { id }, ...meta })
    expect(result).toMatchObject({
      structuredContent: { id },
      _meta: { 'fairway/rehearsal': { changes: [deletion()] } },
    })
    expect(JSON.stringify(result.content)).toContain('Nothing has changed.')
    expect(await titles()).toEqual(['Milk'])
    await host.close()
  })
})
