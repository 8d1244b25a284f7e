import { expect, it } from 'vitest'
import { databaseOf, startServer } from '../support/server'
import { useServer } from '../support/use-server'
import { createTeamWorld, type TeamPerson } from '../support/team'

const server = useServer()
const world = createTeamWorld(server)

const act = (who: TeamPerson, name: string, json: unknown = {}) => who.browser.post(`/_fw/actions/${name}`, { json })
const idsOf = async (who: TeamPerson, name = 'list-notes', json: unknown = {}): Promise<string[]> =>
  (await (await act(who, name, json)).json()).result.notes.map((note: { id: string }) => note.id)
const work = (who: TeamPerson, orgId: string | null) =>
  who.browser.request('/_fw/org/active', { method: 'PUT', json: { orgId, confirm: true } })

it('actions never read or change rows of another organization', async () => {
  const { owner, member, outsider, orgId } = await world.team()
  const created = await (await act(owner, 'create-note', { title: 'Harbour plan' })).json()
  const { id } = created.result.note
  await act(owner, 'set-note-visibility', { id, visibility: 'org' })
  await act(owner, 'share-note', { id, email: member.email, role: 'admin' })
  expect(await idsOf(member)).toEqual([id])

  // The same people in another organization, and an outsider, cannot find the note in any way.
  const other = await (await owner.browser.post('/_fw/org', { json: { name: 'Other', confirm: true } })).json()
  await member.browser.post('/_fw/org', { json: { name: 'Elsewhere', confirm: true } })
  for (const who of [owner, member, outsider]) {
    expect(await idsOf(who)).toEqual([])
    expect(await idsOf(who, 'search-notes', { query: 'Harbour' })).toEqual([])
    for (const [name, json] of [
      ['get-note', { id }],
      ['update-note', { id, title: 'Taken' }],
      ['archive-note', { id }],
      ['delete-note', { id }],
      ['share-note', { id, email: outsider.email }],
      ['unshare-note', { id, email: member.email }],
      ['set-note-visibility', { id, visibility: 'private' }],
      ['list-note-shares', { id }],
      ['publish-note', { id }],
    ] as const) {
      expect((await act(who, name, json)).status, name).toBe(404)
    }
    for (const name of ['archive-notes', 'delete-notes'])
      expect(await (await act(who, name, { ids: [id] })).json(), name).toEqual({ result: { done: [], refused: [id] } })
    const members = await (await act(who, 'list-members', { search: member.email })).json()
    const found = members.result.members.map((entry: { email: string }) => entry.email)
    expect(found).toEqual(who === member ? [member.email] : [])
  }
  await work(owner, orgId)
  expect(await (await act(owner, 'get-note', { id })).json()).toMatchObject({
    result: { note: { title: 'Harbour plan', archived: false, visibility: 'org', access: 'owner' } },
  })
  expect(other.id).not.toBe(orgId)
})

it('purge-archive requires its permission, which a role in the application carries, and deletes nothing in a dry run', async () => {
  const { owner, member } = await world.team()
  const { result } = await (await act(owner, 'create-note', { title: 'Old' })).json()
  await act(owner, 'set-note-visibility', { id: result.note.id, visibility: 'org' })
  await act(owner, 'archive-note', { id: result.note.id })
  expect((await act(member, 'purge-archive')).status).toBe(403)
  await owner.browser.request('/_fw/org/app-roles', { method: 'PUT', json: { email: member.email, role: 'curator' } })
  expect(await (await act(member, 'purge-archive')).json()).toEqual({ result: { notes: 1, deleted: false } })
  expect(await (await act(member, 'purge-archive', { dryRun: false })).json()).toEqual({
    result: { notes: 1, deleted: true },
  })
  expect(await idsOf(owner, 'list-notes', { archived: true })).toEqual([])
})

it('built-in team actions apply the same role rules', async () => {
  const { owner, admin, member } = await world.team()
  expect((await act(member, 'invite-member', { email: 'x@example.test' })).status).toBe(403)
  expect((await act(admin, 'invite-member', { email: member.email })).status).toBe(409)
  const invited = await (await act(admin, 'invite-member', { email: 'tool@example.test' })).json()
  expect(invited.result).toMatchObject({ email: 'tool@example.test', role: 'member', emailSent: true })
  expect((await act(admin, 'change-member-role', { email: owner.email, role: 'member' })).status).toBe(403)
  expect((await act(admin, 'change-member-role', { email: member.email, role: 'admin' })).status).toBe(200)
  expect((await (await act(member, 'list-members')).json()).result.totalItems).toBe(3)
})

it('two processes on one database create one default organization and keep one owner', async () => {
  const second = await startServer({ database: databaseOf(server) })
  try {
    const person = await world.person()
    const cookie = person.browser.cookieHeader()
    const ask = (origin: string) => fetch(`${origin}/_fw/session`, { headers: { cookie } })
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => ask(index % 2 ? server.origin : second.origin)),
    )
    const orgs = await Promise.all(answers.map(async answer => (await answer.json()).session.orgId))
    expect(new Set(orgs)).toHaveLength(1)
    const other = await world.join(person, 'owner')
    const demote = (origin: string, by: TeamPerson, whom: TeamPerson) =>
      fetch(`${origin}/_fw/org/members/${whom.email}`, {
        method: 'PATCH',
        headers: {
          'content-type': 'application/json',
          cookie: by.browser.cookieHeader(),
          'sec-fetch-site': 'same-origin',
        },
        body: JSON.stringify({ role: 'member' }),
      })
    const demoted = await Promise.all([demote(server.origin, person, other), demote(second.origin, other, person)])
    expect(demoted.filter(answer => answer.ok)).toHaveLength(1)
  } finally {
    await second.stop()
  }
})
