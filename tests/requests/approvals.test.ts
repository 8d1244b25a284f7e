import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { askToDelete } from '../support/deleting-host'
import { registeredClient } from '../support/oauth-host'
import { query } from '../support/query'
import { borrowServer, type TestServer } from '../support/server'
import { createTeamWorld, type TeamPerson } from '../support/team'

let server: TestServer
let clientId: string
let world: ReturnType<typeof createTeamWorld>
beforeAll(async () => {
  server = await borrowServer()
  world = createTeamWorld(server)
  clientId = await registeredClient(server.origin)
})
afterAll(() => server.stop())

/** A person with a note that their host wants to delete. */
async function aQuestion() {
  const person = await world.person()
  const title = `Old ${randomUUID()}`
  return { person, title, ...(await askToDelete(person.browser, server.origin, title, clientId)) }
}

const notesOf = ({ email }: TeamPerson) =>
  query(server, 'select id from notes where owner_email = ?', [email]).then(rows => rows.map(({ id }) => id))
const answer = ({ browser }: TeamPerson, path: string, form: Record<string, string>, headers = {}) =>
  browser.post(path, { form, headers })

describe('/approvals/{id}', () => {
  it('names the note and the host, runs on approval with the next identical call, and answers a second post with 409', async () => {
    const { person, title, deleteNote, path } = await aQuestion()
    const page = await person.browser.get(path)
    const html = await page.text()
    for (const text of [title, 'Test host', person.email, 'Answer by']) expect(html).toContain(text)
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect([page.headers.get('x-frame-options'), page.headers.get('cache-control')]).toEqual(['DENY', 'no-store'])
    const posts = await Promise.all(Array.from({ length: 10 }, () => answer(person, path, { decision: 'approve' })))
    expect(posts.map(({ status }) => status).toSorted()).toEqual([303, ...Array(9).fill(409)])
    expect(await notesOf(person)).toHaveLength(1)
    expect((await deleteNote()).isError ?? false).toBe(false)
    expect(await notesOf(person)).toEqual([])
  })

  it('shows what would change, as a rehearsal finds it, or why the call would fail', async () => {
    const { person, title, noteId, path } = await aQuestion()
    const textOf = async () => (await (await person.browser.get(path)).text()).replaceAll(/<[^>]+>/g, '')
    expect(await textOf()).toContain(`Deleted: ${title}`)
    expect(await notesOf(person)).toHaveLength(1)
    await person.browser.post('/_fw/actions/delete-note', { json: { id: noteId } })
    expect(await textOf()).toContain('The call would fail: ')
  })

  it('runs at once when the person ticks it', async () => {
    const { person, path, deleteNote } = await aQuestion()
    await answer(person, path, { decision: 'approve', now: 'on' })
    expect(await notesOf(person)).toEqual([])
    expect((await deleteNote()).isError ?? false).toBe(false)
  })

  it('returns 401 without a session, 404 for other people and tokens, and 403 to other sites', async () => {
    const { person, noteId, path } = await aQuestion()
    const other = await world.person()
    const { token } = await (
      await person.browser.post('/_fw/tokens', { json: { name: 'T', scopes: ['mcp:write'], expiresInDays: 7 } })
    ).json()
    const form = new URLSearchParams({ decision: 'approve', now: 'on' })
    const byToken = { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: form }
    expect((await fetch(server.origin + path)).status).toBe(401)
    expect((await fetch(server.origin + path, byToken)).status).toBe(401)
    expect((await other.browser.get(path)).status).toBe(404)
    expect((await answer(other, path, { decision: 'approve' })).status).toBe(404)
    const foreign = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' }
    expect((await answer(person, path, { decision: 'approve' }, foreign)).status).toBe(403)
    expect(await notesOf(person)).toEqual([noteId])
  })

  it('is where the former address leads, with the answer of a page that was open', async () => {
    const { person, id, path, deleteNote } = await aQuestion()
    const former = `/_fw/a2a/approvals/${id}`
    const { status, headers } = await person.browser.get(former)
    expect([status, headers.get('location')]).toEqual([307, path])
    expect((await answer(person, former, { decision: 'decline' })).status).toBe(307)
    await answer(person, path, { decision: 'decline' })
    expect((await deleteNote())._meta).toMatchObject({ 'fairway/approval': { state: 'denied' } })
  })
})

describe('PATCH /_fw/grants/{id}', () => {
  it('lets a host delete without questions, for the person of the grant alone', async () => {
    const { person, deleteNote } = await aQuestion()
    const [grant] = (await (await person.browser.get('/_fw/grants')).json()).grants
    expect(grant.asksFirst).toBe(true)
    const change = (browser = person.browser) =>
      browser.request(`/_fw/grants/${grant.id}`, { method: 'PATCH', json: { asksFirst: false } })
    expect((await change((await world.person()).browser)).status).toBe(404)
    expect((await change()).status).toBe(204)
    expect((await deleteNote()).isError ?? false).toBe(false)
  })
})

describe('GET /_fw/approvals', () => {
  it('lists what waits for the person', async () => {
    const { person, id, path } = await aQuestion()
    const list = async () => (await (await person.browser.get('/_fw/approvals')).json()).approvals
    expect(await list()).toMatchObject([{ id, path, app: 'Test host', action: 'delete-note' }])
    await answer(person, path, { decision: 'decline' })
    expect(await list()).toEqual([])
  })
})
