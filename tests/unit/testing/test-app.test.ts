// The tests of an application's author: the sample, tested with the helpers of `nuxt-fairway/vitest`.
import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { testApp } from 'nuxt-fairway/vitest'
import { notes } from '../../../server/database/notes'

const app = await testApp()
const maria = await app.person({ name: 'Maria', organization: 'Acme' })
const tom = await app.person({ name: 'Tom', organization: 'Acme' })
const eve = await app.person({ name: 'Eve', organization: 'Other' })

async function aNote(title: string): Promise<string> {
  const { note } = await app.as(maria).run('create-note', { title })
  return note.id
}

const roleOf = async (who: typeof maria) => (await (await app.as(who).fetch('/_fw/session')).json()).session.orgRole

describe('app.person', () => {
  it('adds people to the same organization, the first as owner and the others as members', async () => {
    expect(tom.orgId).toBe(maria.orgId)
    expect(eve.orgId).not.toBe(maria.orgId)
    expect([await roleOf(maria), await roleOf(tom), await roleOf(eve)]).toEqual(['owner', 'member', 'owner'])
    expect(app.mails).toEqual([])
  })

  it('assigns the requested role, also in a new organization', async () => {
    const ada = await app.person({ organization: 'Roles', role: 'admin' })
    const ben = await app.person({ organization: 'Roles', role: 'owner' })
    expect([await roleOf(ada), await roleOf(ben), ada.orgId]).toEqual(['admin', 'owner', ben.orgId])
    await expect(app.person({ role: 'admin' })).rejects.toThrow('needs an organization')
  })

  it('assigns a role in the application', async () => {
    const curator = await app.person({ organization: 'Acme', appRole: 'curator' })
    const answer = await app.as(curator).fetch('/_fw/org/app-roles')
    expect(await answer.json()).toMatchObject({ mine: 'curator' })
    await expect(app.person({ organization: 'Acme', appRole: 'king' })).rejects.toMatchObject({ code: 'unknown-role' })
  })

  it('makes the last named organization the current one', async () => {
    const first = await app.person({ email: 'Two@Example.Test', organization: 'Acme' })
    const second = await app.person({ email: 'two@example.test', organization: 'Other' })
    expect([first.userId, first.orgId, second.orgId]).toEqual([second.userId, maria.orgId, eve.orgId])
  })

  it('creates a separate organization when none is named', async () => {
    const alone = await app.person()
    expect(alone.orgId).not.toBeNull()
    expect(await roleOf(alone)).toBe('owner')
  })
})

describe('app.as().run', () => {
  it('runs an action for a person and stores its row', async () => {
    const id = await aNote('Plan')
    const [row] = await app.db.select().from(notes).where(eq(notes.id, id))
    expect(row).toMatchObject({ title: 'Plan', ownerEmail: maria.email, orgId: maria.orgId })
  })

  it('throws the code and status of the refusal', async () => {
    const id = await aNote('Mine')
    await expect(app.as(eve).run('get-note', { id })).rejects.toMatchObject({ code: 'not-found', status: 404 })
    await expect(app.as(null).run('get-note', { id })).rejects.toMatchObject({ code: 'unauthenticated', status: 401 })
    await expect(app.as(maria).run('create-note', { title: '' })).rejects.toMatchObject({
      code: 'invalid-input',
      errors: [{ path: 'title' }],
    })
  })

  it('names each invalid field in the message of a refusal', async () => {
    const input = { title: '', pinned: 'yes' } as never
    await expect(app.as(maria).run('create-note', input)).rejects.toThrow(/\n {2}title: .+\n {2}pinned: .+/)
    const list = app.as(maria).list('note-list', { page: 0 })
    await expect(list).rejects.toThrow('\n  page: Page should not be less than 1')
  })

  it('writes a row to the audit log', async () => {
    await aNote('Audited')
    const answer = await app.as(maria).fetch('/_fw/org/audit')
    expect(JSON.stringify(await answer.json())).toContain('create-note')
  })

  it('lists the declared actions for an unknown name', async () => {
    await expect(app.as(maria).run('crate-note' as 'create-note', { title: 'A' })).rejects.toThrow(
      'There is no action crate-note. There are: archive-note,',
    )
  })
})

describe('app.as().fetch', () => {
  it('responds like the built server, with the person’s session', async () => {
    const made = await app.as(maria).fetch('/_fw/actions/create-note', { method: 'POST', json: { title: 'By HTTP' } })
    expect([made.status, (await made.json()).result.note.title]).toEqual([200, 'By HTTP'])
    const refused = await app.as(null).fetch('/_fw/actions/create-note', { method: 'POST', json: { title: 'A' } })
    expect([refused.status, (await refused.json()).code]).toEqual([401, 'unauthenticated'])
    expect(refused.headers.get('content-type')).toBe('application/problem+json')
  })

  it('refuses requests from another site', async () => {
    const headers = { origin: 'https://other.example', 'sec-fetch-site': 'cross-site' }
    const answer = await app.as(maria).fetch('/_fw/actions/create-note', { method: 'POST', json: {}, headers })
    expect((await answer.json()).code).toBe('cross-origin')
    await expect(app.as(maria).fetch('https://other.example/')).rejects.toThrow('is not this application')
  })

  it('allows actions that need a recent sign-in, which an MCP host of the person cannot run', async () => {
    const ada = await app.person({ organization: 'Owners' })
    const ben = await app.person({ organization: 'Owners' })
    const input = { email: ben.email, role: 'owner' } as const
    const host = await app.as(ada).mcp()
    expect(await host.callTool({ name: 'change-member-role', arguments: input })).toMatchObject({ isError: true })
    expect(await roleOf(ben)).toBe('member')
    await app.as(ada).run('change-member-role', input)
    expect(await roleOf(ben)).toBe('owner')
  })

  it('returns the server’s own pages and explains that other pages need a build', async () => {
    const page = await app.as(null).fetch('/sign-in', { headers: { accept: 'text/html' } })
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<form')])
    const other = await app.as(maria).fetch('/notes')
    expect(await other.json()).toMatchObject({
      status: 404,
      detail: expect.stringContaining('No route answers /notes'),
    })
  })

  it('keeps the cookies of a person, so that signing out works', async () => {
    const gone = await app.person()
    await app.as(gone).fetch('/_fw/auth/sign-out', { method: 'POST' })
    expect((await app.as(gone).fetch('/_fw/actions/list-notes')).status).toBe(401)
    expect(await roleOf(maria)).toBe('owner')
  })

  it('returns pages of a collection', async () => {
    const owner = await app.person({ organization: 'Lists' })
    for (const title of ['One', 'Two', 'Three']) await app.as(owner).run('create-note', { title })
    const page = await app.list('note-list', { as: owner, query: { itemsPerPage: 2, 'order[title]': 'asc' } })
    expect(page.items.map(({ title }) => title)).toEqual(['One', 'Three'])
    expect([page.totalItems, page.links.next]).toEqual([3, expect.stringContaining('page=2')])
    expect((await app.as(eve).list('note-list')).items).toEqual([])
    await expect(app.list('note-list')).rejects.toMatchObject({ code: 'unauthenticated', status: 401 })
    await expect(app.as(owner).list('note-list', { page: 0 })).rejects.toMatchObject({ status: 400 })
  })
})

describe('app.as().mcp', () => {
  it('connects a host of a person that lists and calls tools', async () => {
    const host = await app.as(maria).mcp()
    const { tools } = await host.listTools()
    expect(tools.map(({ name }) => name)).toContain('create-note')
    const { structuredContent } = await host.callTool({ name: 'create-note', arguments: { title: 'By a host' } })
    expect(structuredContent).toMatchObject({ note: { title: 'By a host', ownerEmail: maria.email } })
    const refused = await host.callTool({ name: 'get-note', arguments: { id: 'of-nobody' } })
    expect(refused.isError).toBe(true)
  })

  it('asks the person before a destructive tool runs', async () => {
    const id = await aNote('Old plan')
    const asked: string[] = []
    const hostOf = (isApproved: boolean) =>
      app.as(maria).mcp({ answer: question => (asked.push(question), isApproved) })
    const remove = { name: 'delete-note', arguments: { id } }
    expect(await (await hostOf(false)).callTool(remove)).toMatchObject({ isError: true })
    expect((await (await hostOf(true)).callTool(remove)).isError).toBeFalsy()
    expect(asked).toEqual([expect.stringContaining('“Old plan”'), expect.stringContaining('“Old plan”')])
  })

  it('requires a person', async () => {
    await expect(app.as(null).mcp()).rejects.toMatchObject({ code: 'unauthenticated' })
  })
})

describe('app.mails', () => {
  it('contains sent mails with their links', async () => {
    const before = app.mails.length
    await app.as(maria).run('invite-member', { email: 'new@example.test', role: 'member' })
    expect(app.mails.slice(before)).toMatchObject([{ to: 'new@example.test', text: expect.stringContaining('Acme') }])
    const [link = ''] = app.mails.at(-1)?.links ?? []
    expect(link).toMatch(`${app.origin}/`)
  })

  it('contains sign-in links that work until they expire', async () => {
    const own = await testApp()
    const json = { email: 'ida@example.test' }
    const asked = await own.as(null).fetch('/_fw/auth/sign-in/magic-link', { method: 'POST', json })
    expect(asked.status).toBe(200)
    await expect.poll(() => own.mails).toMatchObject([{ to: 'ida@example.test' }])
    const [link = ''] = own.mails[0]?.links ?? []
    const headers = { accept: 'text/html' }
    expect((await own.as(null).fetch(link, { headers })).status).toBe(200)
    own.clock.advance({ minutes: 11 })
    expect((await own.as(null).fetch(link, { headers })).status).toBe(410)
  })
})

describe('app.clock', () => {
  it('stays at the time that was set and advances on request', async () => {
    const own = await testApp({ now: '2030-01-01T00:00:00Z' })
    const ida = await own.person()
    const at = async () => (await own.as(ida).run('create-note', { title: 'A' })).note.createdAt
    expect(await at()).toBe('2030-01-01T00:00:00.000Z')
    own.clock.advance({ days: 2, minutes: 1 })
    expect(await at()).toBe('2030-01-03T00:01:00.000Z')
    own.clock.set('2031-06-01')
    expect(await at()).toBe('2031-06-01T00:00:00.000Z')
    expect(() => own.clock.set('soon')).toThrow('is no time')
  })

  it('expires a session after its lifetime', async () => {
    const own = await testApp()
    const ida = await own.person()
    const statusNow = async () => (await own.as(ida).fetch('/_fw/actions/list-notes')).status
    expect(await statusNow()).toBe(200)
    own.clock.advance({ days: 29 })
    expect(await statusNow()).toBe(200)
    own.clock.advance({ days: 31 })
    expect(await statusNow()).toBe(401)
  })
})

describe('testApp', () => {
  it('isolates an application from other ones', async () => {
    const other = await testApp()
    await expect(other.as(maria).run('list-notes')).rejects.toThrow('maria@example.test may not act here: unknown')
    expect(await other.db.select().from(notes)).toEqual([])
  })

  it('accepts settings, and refuses invalid ones like a normal start', async () => {
    const own = await testApp({ env: { AUTO_CREATE_DEFAULT_ORG: '0' } })
    expect((await own.person()).orgId).toBeNull()
    await expect(testApp({ env: { FW_BASE_URL: 'nowhere' } })).rejects.toThrow('FW_BASE_URL')
  })
})
