import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listenToChanges } from '../support/changes'
import { createBrowser } from '../support/http'
import { query } from '../support/query'
import { borrowServer, databaseOf, startServer, type TestServer } from '../support/server'
import { createTeamWorld, PASSWORD, type TeamPerson } from '../support/team'

let server: TestServer
let beside: TestServer
let world: ReturnType<typeof createTeamWorld>
const open: { close(): void }[] = []

beforeAll(async () => {
  server = await borrowServer()
  beside = await startServer({ database: databaseOf(server), env: { FW_BASE_URL: server.origin } })
  world = createTeamWorld(server)
})
afterAll(async () => {
  for (const stream of open) stream.close()
  await Promise.all([server.stop(), beside.stop()])
})

async function run(who: TeamPerson, action: string, json: object) {
  const answer = await who.browser.post(`/_fw/actions/${action}`, { json })
  if (!answer.ok) throw new Error(await answer.text())
  return (await answer.json()).result
}

async function listen(who: TeamPerson, search = '', origin = server.origin) {
  const stream = await listenToChanges(origin, who.browser, search)
  open.push(stream)
  return stream
}

const about =
  (action: string, id?: string) =>
  ({ data }: { data: Record<string, unknown> }) =>
    data.action === action && (id === undefined || data.id === id)

describe('Recipients of /_fw/changes', () => {
  it('sends readable changes to the organization, every change to its author, and none to others', async () => {
    const { owner, member, outsider } = await world.team()
    const [mine, theirs, foreign] = await Promise.all([listen(member), listen(owner), listen(outsider)])
    const { note: secret } = await run(member, 'create-note', { title: 'My dismissal' })
    const { note: plan } = await run(member, 'create-note', { title: 'Plan' })
    // A change is told to those who may read the row when it is told.
    await mine.until(about('create-note', plan.id))
    await run(member, 'set-note-visibility', { id: plan.id, visibility: 'org' })
    await mine.until(about('create-note', secret.id))
    expect(await theirs.until(about('set-note-visibility', plan.id))).toMatchObject({
      data: { action: 'set-note-visibility', collections: ['note-list'], id: plan.id },
    })
    await run(outsider, 'create-note', { title: 'Elsewhere' })
    await foreign.until(about('create-note'))
    expect(theirs.changes().map(({ action }) => action)).toEqual(['set-note-visibility'])
    expect(JSON.stringify(theirs.heard)).not.toContain(secret.id)
    expect(foreign.changes()).toHaveLength(1)
    expect(mine.changes().map(({ action }) => action)).toEqual(['create-note', 'create-note', 'set-note-visibility'])
  })

  it('sends changes of a shared note while it is shared, and the deletion of an organization note', async () => {
    const { owner, admin, member } = await world.team()
    const { note: shared } = await run(owner, 'create-note', { title: 'Shared' })
    const { note: ours } = await run(owner, 'create-note', { title: 'Ours' })
    await run(owner, 'set-note-visibility', { id: ours.id, visibility: 'org' })
    const [his, hers] = await Promise.all([listen(member), listen(admin)])
    await run(owner, 'share-note', { id: shared.id, email: member.email, role: 'viewer' })
    await run(owner, 'update-note', { id: shared.id, title: 'Shared twice' })
    await his.until(about('update-note', shared.id))
    await run(owner, 'unshare-note', { id: shared.id, email: member.email })
    await run(owner, 'update-note', { id: shared.id, title: 'Private again' })
    await run(owner, 'delete-note', { id: ours.id })
    await Promise.all([his.until(about('delete-note', ours.id)), hers.until(about('delete-note', ours.id))])
    expect(his.changes().map(({ action }) => action)).toEqual(['share-note', 'update-note', 'delete-note'])
    expect(hers.changes().map(({ action }) => action)).toEqual(['delete-note'])
  })

  it('tells a person on any instance that their inbox has changed, without a place in the log', async () => {
    const { owner, outsider } = await world.team()
    const [hers, elsewhere] = await Promise.all([listen(outsider), listen(outsider, '', beside.origin)])
    const mine = await listen(owner)
    await owner.browser.post('/_fw/org/invitations', {
      json: { invitations: [{ email: outsider.email, role: 'member' }] },
    })
    const told = { data: { action: 'fw-inbox', collections: [], id: null, ageInMs: 0 } }
    for (const stream of [hers, elsewhere]) expect(await stream.until(about('fw-inbox'))).toMatchObject(told)
    expect(mine.changes().map(({ action }) => action)).not.toContain('fw-inbox')
    expect(await (await outsider.browser.get('/_fw/inbox/count')).json()).toEqual({ waiting: 1, unread: 0 })
  })

  it('sends actions without a row only to the person who ran them', async () => {
    const { owner, member } = await world.team()
    const { note } = await run(member, 'create-note', { title: 'One' })
    const [mine, theirs] = await Promise.all([listen(member), listen(owner)])
    await run(member, 'archive-notes', { ids: [note.id] })
    await mine.until(about('archive-notes'))
    await run(owner, 'create-note', { title: 'Last' })
    await theirs.until(about('create-note'))
    expect(theirs.changes()).toHaveLength(1)
  })

  it('sends changes that another instance writes', async () => {
    const { owner, member } = await world.team()
    const { note } = await run(owner, 'create-note', { title: 'Ours' })
    await run(owner, 'set-note-visibility', { id: note.id, visibility: 'org' })
    const here = await listen(member)
    const there = await listen(member, '', beside.origin)
    await run(owner, 'update-note', { id: note.id, title: 'Still ours' })
    await Promise.all([here.until(about('update-note', note.id)), there.until(about('update-note', note.id))])
  })
})

describe('GET /_fw/changes', () => {
  it('returns 401 without a session, and headers that prevent caching and proxy buffering', async () => {
    expect((await fetch(`${server.origin}/_fw/changes`)).status).toBe(401)
    const stream = await listen(await world.person())
    const { headers } = stream.response
    expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(headers.get('cache-control')).toBe('no-store, no-transform')
    expect(headers.get('x-accel-buffering')).toBe('no')
    expect(headers.get('content-encoding')).toBeNull()
  })

  it('resumes after the last received change or from a given age, and sends reload otherwise', async () => {
    const { owner, member } = await world.team()
    const first = await listen(owner)
    await run(owner, 'create-note', { title: 'One' })
    const { id } = await first.until(about('create-note'))
    first.close()
    const { note: two } = await run(owner, 'create-note', { title: 'Two' })
    await run(member, 'create-note', { title: 'Of somebody else' })
    const second = await listen(owner, `?after=${id}`)
    await second.until(about('create-note', two.id))
    expect(second.changes()).toHaveLength(1)
    const third = await listen(owner, '?since=60000')
    expect((await third.until(about('create-note', two.id))).data).toMatchObject({ collections: ['note-list'] })
    const lost = await listen(owner, '?after=00000000-0000-4000-8000-000000000000')
    await lost.until(({ event }) => event === 'reload')
  })

  it('ends with the session and when the person switches organizations', async () => {
    const [ada, eve] = [await world.person(), await world.person()]
    const [left, moved] = [await listen(ada), await listen(eve)]
    await query(server, 'delete from sessions where user_id = ?', [ada.userId])
    await query(server, 'update users set updated_at = updated_at where id = ?', [ada.userId])
    // The feed checks the session before it delivers this write.
    await query(
      server,
      `insert into audit_log (id, at, action, caller, user_id, user_email, outcome, request_id)
        values ('0190a0b0-0000-7000-8000-000000000001', ?, 'create-note', 'cli', ?, ?, 'ok', 'r')`,
      [Date.now(), ada.userId, ada.email],
    )
    expect(await left.until(({ event }) => event === 'end')).toMatchObject({ data: { reason: 'session' } })
    await left.ended
    expect(left.changes()).toEqual([])
    await eve.browser.request('/_fw/org/active', { method: 'PUT', json: { orgId: null, confirm: true } })
    expect(await moved.until(({ event }) => event === 'end')).toMatchObject({ data: { reason: 'session' } })
  })

  it('allows six streams per session and another one after one has ended', async () => {
    const ada = await world.person()
    const streams = await Promise.all(Array.from({ length: 6 }, () => listen(ada)))
    const refused = await listen(ada)
    expect([refused.response.status, refused.response.headers.get('retry-after')]).toEqual([429, '30'])
    streams[0]?.close()
    await expect.poll(async () => (await listen(ada)).response.status).toBe(200)
  })

  it('allows 24 streams per person on all devices without limiting other people', async () => {
    const ada = await world.person()
    const devices = Array.from({ length: 5 }, () => createBrowser(server.origin))
    for (const browser of devices)
      await browser.post('/_fw/auth/sign-in/email', { json: { email: ada.email, password: PASSWORD } })
    const asked = devices.flatMap(browser => Array.from({ length: 5 }, () => listen({ ...ada, browser })))
    const statuses = (await Promise.all(asked)).map(({ response }) => response.status)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([...Array(24).fill(200), 429])
    expect((await listen(await world.person())).response.status).toBe(200)
  })
})
