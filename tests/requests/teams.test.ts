// What people of a team may do with a note that is shared with it, on each surface.
import { describe, expect, it } from 'vitest'
import { listenToChanges } from '../support/changes'
import { codeOf } from '../support/error-code'
import { createTeamWorld, type TeamPerson } from '../support/team'
import { query } from '../support/query'
import { useServer } from '../support/use-server'

const server = useServer()
const world = createTeamWorld(server)

const send = (who: TeamPerson, name: string, json: unknown) => who.browser.post(`/_fw/actions/${name}`, { json })
const run = async (who: TeamPerson, name: string, json: unknown) => {
  const answer = await send(who, name, json)
  const body = await answer.json()
  if (!answer.ok) throw new Error(JSON.stringify(body))
  return body.result
}
const setPeople = (owner: TeamPerson, id: string, ...people: TeamPerson[]) =>
  owner.browser.request(`/_fw/org/teams/${id}/members`, {
    method: 'PUT',
    json: { members: people.map(({ email }) => email) },
  })

/** A team of an organization with one of its members, and a note that is not shared yet. */
async function aTeam() {
  const people = await world.team()
  const { owner, member } = people
  const made = await owner.browser.post('/_fw/org/teams', { json: { name: 'Sales' } })
  const teamId = String((await made.json()).id)
  await setPeople(owner, teamId, member)
  const { note } = await run(owner, 'create-note', { title: 'Plan', text: 'Anvils' })
  const share = (role: string) => run(owner, 'share-note-with-team', { id: note.id, teamId, role })
  return { ...people, teamId, note, share }
}

/** Calls a tool of `/mcp` with an API token of this person; returns whether it found the note. */
async function byTool(who: TeamPerson, id: string): Promise<boolean> {
  const made = await who.browser.post('/_fw/tokens', {
    json: { name: 'Script', scopes: ['mcp:read'], expiresInDays: 7 },
  })
  const answer = await fetch(`${server.origin}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${(await made.json()).token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'get-note', arguments: { id } },
    }),
  })
  return (await answer.text()).includes('Anvils')
}

/** On which surfaces a person finds the note. */
async function foundBy(who: TeamPerson, id: string): Promise<Record<string, boolean>> {
  const text = async (path: string) => (await who.browser.get(path)).text()
  const has = async (path: string) => (await text(path)).includes(id)
  return {
    action: (await send(who, 'get-note', { id })).status === 200,
    list: JSON.stringify(await run(who, 'list-notes', {})).includes(id),
    search: JSON.stringify(await run(who, 'search-notes', { query: 'Anvils' })).includes(id),
    collection: await has('/note-list'),
    item: (await who.browser.get(`/note-list/${id}`)).status === 200,
    export: await has('/note-list/export/csv'),
    tool: await byTool(who, id),
    activity: await has('/_fw/activity'),
  }
}

describe('a note shared with a team', () => {
  it('is found by its people on every surface, and by nobody else, from the next request on', async () => {
    const { owner, admin, member, outsider, teamId, note, share } = await aTeam()
    await share('viewer')
    const everywhere = (isFound: boolean) =>
      Object.fromEntries(Object.keys(surfaces).map(surface => [surface, isFound]))
    const surfaces = await foundBy(member, note.id)
    expect(surfaces).toEqual(everywhere(true))
    expect(await foundBy(admin, note.id)).toEqual(everywhere(false))
    expect(await foundBy(outsider, note.id)).toEqual(everywhere(false))
    await setPeople(owner, teamId, admin)
    expect(await foundBy(member, note.id)).toEqual(everywhere(false))
    expect(await foundBy(admin, note.id)).toEqual(everywhere(true))
  })

  it.each([
    ['viewer', [false, false, false]],
    ['editor', [true, false, false]],
    ['admin', [true, true, true]],
  ])('as %s is changed, shared and deleted only as far as that role goes', async (role, expected) => {
    const { admin, member, note, share } = await aTeam()
    await share(role)
    const [item] = (await (await member.browser.get('/note-list')).json()).member
    expect(item).toMatchObject({ id: note.id, access: role })
    const answers = [
      await send(member, 'update-note', { id: note.id, text: 'Mine' }),
      await send(member, 'share-note', { id: note.id, email: admin.email }),
      await send(member, 'delete-note', { id: note.id }),
    ]
    expect(answers.map(({ ok }) => ok)).toEqual(expected)
    const refused = answers.filter(({ ok }) => !ok)
    expect(refused.every(({ status }) => status === 403 || status === 404)).toBe(true)
  })

  it('tells its people of changes as they happen, until they leave the team', async () => {
    const { owner, admin, member, teamId, note, share } = await aTeam()
    const listen = (who: TeamPerson) => listenToChanges(server.origin, who.browser)
    const [his, hers] = await Promise.all([listen(member), listen(admin)])
    await share('viewer')
    await run(owner, 'update-note', { id: note.id, title: 'Plan 2' })
    await his.until(({ data }) => data.action === 'update-note' && data.id === note.id)
    await setPeople(owner, teamId)
    await run(owner, 'update-note', { id: note.id, title: 'Plan 3' })
    const { note: last } = await run(owner, 'create-note', { title: 'For all' })
    await run(owner, 'set-note-visibility', { id: last.id, visibility: 'org' })
    await Promise.all(
      [his, hers].map(each => each.until(({ data }) => data.id === last.id && data.action === 'set-note-visibility')),
    )
    const about = (stream: typeof his) =>
      stream
        .changes()
        .filter(({ id }) => id === note.id)
        .map(({ action }) => action)
    expect([about(his), about(hers)]).toEqual([['share-note-with-team', 'update-note'], []])
  })

  it('is in the person’s own data, with the team', async () => {
    const { owner, member, note, share } = await aTeam()
    await share('viewer')
    const dataOf = async ({ browser }: TeamPerson) => (await (await browser.get('/_fw/account/export')).json()).account
    expect(await dataOf(member)).toMatchObject({
      teams: [{ name: 'Sales' }],
      sharedWithMe: [{ resource: 'notes', id: note.id, team: 'Sales', role: 'viewer' }],
    })
    expect(await dataOf(owner)).toMatchObject({
      teams: [],
      sharedByMe: [{ id: note.id, sharedWith: null, team: 'Sales', role: 'viewer' }],
    })
  })

  it('is refused for unknown teams, and is no longer shared once that is taken back', async () => {
    const { owner, member, outsider, note, teamId, share } = await aTeam()
    const made = await outsider.browser.post('/_fw/org/teams', { json: { name: 'Elsewhere' } })
    const foreign = (await made.json()).id
    for (const wrong of ['unknown', foreign]) {
      const answer = await send(owner, 'share-note-with-team', { id: note.id, teamId: wrong })
      expect((await answer.json()).errors).toMatchObject([{ path: 'teamId', code: 'no-team' }])
    }
    await share('viewer')
    expect(await run(owner, 'list-note-shares', { id: note.id })).toMatchObject({
      shares: [],
      teams: [{ teamId, name: 'Sales', people: 1, role: 'viewer' }],
    })
    await run(owner, 'unshare-note-with-team', { id: note.id, teamId })
    expect(await codeOf(await send(member, 'get-note', { id: note.id }))).toBe('not-found')
    expect(await query(server, 'select 1 from shares where resource_id = ?', [note.id])).toEqual([])
  })
})

describe('/organization-teams', () => {
  it('lists the teams of the caller’s organization, by name', async () => {
    const { member, outsider } = await aTeam()
    const list = async (who: TeamPerson, search = '') =>
      (await (await who.browser.get(`/organization-teams${search}`)).json()).member
    expect(await list(member, '?name=SAL')).toMatchObject([{ name: 'Sales', people: 1, isFromDirectory: false }])
    expect([await list(member, '?name=x'), await list(outsider)]).toEqual([[], []])
  })
})
