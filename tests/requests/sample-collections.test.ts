import { describe, expect, it } from 'vitest'
import { iterateCollection } from '#fairway/shared/collections/iterate-collection'
import { statusAndCode } from '../support/error-code'
import { useServer } from '../support/use-server'
import { createTeamWorld, type TeamPerson } from '../support/team'

const server = useServer()
const world = createTeamWorld(server)

const act = async (who: TeamPerson, name: string, json: unknown) =>
  (await (await who.browser.post(`/_fw/actions/${name}`, { json })).json()).result
const list = async (who: TeamPerson, path: string) => (await who.browser.get(path)).json()
const titles = async (who: TeamPerson, query = '') =>
  (await list(who, `/note-list${query}`)).member.map((note: { title: string }) => note.title)

describe('/note-list', () => {
  it('returns the same notes as the action, with the same access', async () => {
    const { owner, admin, member, outsider } = await world.team()
    const { note: plan } = await act(owner, 'create-note', { title: 'Harbour plan', text: 'Cranes' })
    const { note: menu } = await act(owner, 'create-note', { title: 'Menu', text: 'Soup' })
    await act(owner, 'create-note', { title: 'Diary' })
    await act(owner, 'share-note', { id: plan.id, email: member.email, role: 'editor' })
    await act(owner, 'set-note-visibility', { id: menu.id, visibility: 'org' })
    for (const who of [owner, admin, member, outsider]) {
      const { notes, totalItems } = await act(who, 'list-notes', {})
      const answer = await list(who, '/note-list?archived=false')
      expect(answer.totalItems).toBe(totalItems)
      const bare = answer.member.map(({ '@id': _id, '@type': _type, ...note }: Record<string, unknown>) => note)
      expect(bare).toEqual(expect.arrayContaining(notes))
    }
    expect(await titles(member, '?order[title]=asc')).toEqual(['Harbour plan', 'Menu'])
    expect((await list(member, '/note-list?title=harbour')).member).toMatchObject([{ access: 'editor' }])
    expect(await titles(outsider)).toEqual([])
    expect((await outsider.browser.get(`/note-list/${plan.id}`)).status).toBe(404)
  })

  it('searches title and text together, and sorts by the requested field', async () => {
    const ada = await world.person()
    for (const [title, text] of [
      ['Beta', 'about alpha'],
      ['Alpha', '50%'],
      ['Gamma', ''],
    ])
      await act(ada, 'create-note', { title, text })
    expect(await titles(ada, '?content=ALPHA&order[title]=asc')).toEqual(['Alpha', 'Beta'])
    expect(await titles(ada, '?content=%25')).toEqual(['Alpha'])
    expect(await titles(ada, '?order[title]=desc')).toEqual(['Gamma', 'Beta', 'Alpha'])
    expect((await list(ada, '/note-list')).member[0]).not.toHaveProperty('content')
  })

  it('exports only the rows that the caller may read and writes an audit row', async () => {
    const { owner, member } = await world.team()
    const { note } = await act(owner, 'create-note', { title: '=SUM(A1)' })
    await act(owner, 'create-note', { title: 'Diary' })
    await act(owner, 'share-note', { id: note.id, email: member.email, role: 'viewer' })
    const file = async (who: TeamPerson) => {
      const answer = await who.browser.get('/note-list/export/csv?archived=false&order[title]=desc')
      expect([answer.status, answer.headers.get('content-disposition')]).toEqual([
        200,
        'attachment; filename="note-list.csv"',
      ])
      return (await answer.text()).trimEnd().split('\r\n')
    }
    const [head, ...rows] = await file(owner)
    const at = head?.split(',').indexOf('title') ?? -1
    expect(rows.map(row => row.split(',')[at])).toEqual(['Diary', "'=SUM(A1)"])
    expect((await file(member)).slice(1).map(row => row.split(',')[at])).toEqual(["'=SUM(A1)"])
    const { entries } = await list(owner, '/_fw/org/audit?action=export-collection')
    expect(entries).toMatchObject([
      { userEmail: member.email, outcome: 'ok' },
      { userEmail: owner.email, outcome: 'ok' },
    ])
    expect(JSON.parse(entries[0].input)).toMatchObject({ name: 'note-list', format: 'csv' })
  })

  it('lets a script iterate over all pages', async () => {
    const ada = await world.person()
    for (let number = 0; number < 7; number++) await act(ada, 'create-note', { title: `Note ${number}` })
    const walk = iterateCollection(server.origin, '/note-list', {
      query: { itemsPerPage: 3, 'order[title]': 'asc' },
      headers: { cookie: ada.browser.cookieHeader() },
    })
    const found = await Array.fromAsync(walk)
    expect(found.map(({ title }) => title)).toEqual([0, 1, 2, 3, 4, 5, 6].map(number => `Note ${number}`))
    expect((await Array.fromAsync(walk.pages())).map(({ items }) => items.length)).toEqual([3, 3, 1])
    await expect(Array.fromAsync(iterateCollection(server.origin, '/note-list'))).rejects.toMatchObject({
      code: 'unauthenticated',
      status: 401,
    })
  })
})

describe('/team-members', () => {
  it('returns the active organization’s members to its members, with search, filter and sort order', async () => {
    const { owner, member, outsider } = await world.team()
    const answer = await list(member, '/team-members')
    expect(answer).toMatchObject({ '@type': 'Collection', totalItems: 3 })
    expect(answer.member[0]).toMatchObject({ '@type': 'Member', email: owner.email, role: 'owner' })
    const found = await list(owner, `/team-members?name=${encodeURIComponent(member.email)}`)
    expect(found.member).toMatchObject([{ userId: member.userId, role: 'member' }])
    const named = (answer: { member: { email: string }[] }) => answer.member.map(({ email }) => email)
    expect(named(await list(owner, '/team-members?role[]=admin&role[]=owner'))).not.toContain(member.email)
    expect(named(await list(owner, '/team-members?role=nothing'))).toEqual([])
    expect(named(await list(owner, '/team-members?order[joinedAt]=desc'))[0]).toBe(member.email)
    expect((await member.browser.get('/team-members?order[lastActiveAt]=desc')).status).toBe(403)
    const other = await list(outsider, '/team-members')
    expect(other.member.map(({ email }: { email: string }) => email)).toEqual([outsider.email])
  })

  it('returns 400 without an active organization', async () => {
    const ada = await world.person()
    await ada.browser.request('/_fw/org/active', { method: 'PUT', json: { orgId: null, confirm: true } })
    const answer = await ada.browser.get('/team-members')
    expect(await statusAndCode(answer)).toEqual([400, 'no-organization'])
  })
})
