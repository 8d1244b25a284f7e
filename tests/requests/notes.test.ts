import { describe, expect, it } from 'vitest'
import { statusAndCode } from '../support/error-code'
import { query } from '../support/query'
import { useServer } from '../support/use-server'
import { createTeamWorld, type TeamPerson } from '../support/team'

const server = useServer()
const world = createTeamWorld(server)

const send = (who: TeamPerson, name: string, json: unknown) => who.browser.post(`/_fw/actions/${name}`, { json })
const act = async (who: TeamPerson, name: string, json: unknown) => (await (await send(who, name, json)).json()).result
const titles = async (who: TeamPerson, search: string) =>
  (await (await who.browser.get(`/note-list${search}`)).json()).member.map((note: { title: string }) => note.title)

describe('update-note with ifUnchangedSince', () => {
  it('updates the version that was read and returns 409 when a newer version exists', async () => {
    const ada = await world.person()
    const { note: first } = await act(ada, 'create-note', { title: 'Plan', text: 'one' })
    const { note: second } = await act(ada, 'update-note', {
      id: first.id,
      text: 'two',
      ifUnchangedSince: first.updatedAt,
    })
    expect(Date.parse(second.updatedAt)).toBeGreaterThan(Date.parse(first.updatedAt))
    const late = await send(ada, 'update-note', { id: first.id, text: 'three', ifUnchangedSince: first.updatedAt })
    expect(await statusAndCode(late)).toEqual([409, 'conflict'])
    expect(await query(server, 'select text from notes where id = ?', [first.id])).toMatchObject([{ text: 'two' }])
    const gone = { id: 'nowhere', text: 'x', ifUnchangedSince: first.updatedAt }
    expect(await statusAndCode(await send(ada, 'update-note', gone))).toEqual([404, 'not-found'])
    const wrong = { id: first.id, text: 'x', ifUnchangedSince: 'yesterday' }
    expect(await statusAndCode(await send(ada, 'update-note', wrong))).toEqual([400, 'invalid-input'])
  })

  it('accepts one of eight simultaneous updates and returns 409 for the others', async () => {
    const ada = await world.person()
    const { note } = await act(ada, 'create-note', { title: 'Plan' })
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, writer) =>
        send(ada, 'update-note', { id: note.id, text: `writer ${writer}`, ifUnchangedSince: note.updatedAt }),
      ),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array.from({ length: 7 }, () => 409)])
  })

  it('keeps updatedAt when a note is pinned', async () => {
    const ada = await world.person()
    const { note } = await act(ada, 'create-note', { title: 'Plan' })
    const { note: pinned } = await act(ada, 'update-note', { id: note.id, pinned: true })
    expect(pinned).toMatchObject({ pinned: true, updatedAt: note.updatedAt })
  })
})

describe('archive-notes and delete-notes', () => {
  it('process the notes that the caller may change and return the ids of the others', async () => {
    const { owner, member } = await world.team()
    const { note: own } = await act(member, 'create-note', { title: 'Own' })
    const { note: lent } = await act(owner, 'create-note', { title: 'Lent' })
    const { note: shown } = await act(owner, 'create-note', { title: 'Shown' })
    await act(owner, 'share-note', { id: lent.id, email: member.email, role: 'editor' })
    await act(owner, 'share-note', { id: shown.id, email: member.email })
    const ids = [own.id, lent.id, shown.id, 'nowhere']
    const archived = await act(member, 'archive-notes', { ids })
    expect(archived.done.toSorted()).toEqual([own.id, lent.id].toSorted())
    expect(archived.refused).toEqual([shown.id, 'nowhere'])
    expect(await titles(member, '?archived=true&order[title]=asc')).toEqual(['Lent', 'Own'])
    expect((await act(member, 'archive-notes', { ids: archived.done, archived: false })).done).toHaveLength(2)
    expect(await act(member, 'delete-notes', { ids })).toEqual({
      done: [own.id],
      refused: [lent.id, shown.id, 'nowhere'],
    })
    expect(await titles(owner, '?order[title]=asc')).toEqual(['Lent', 'Shown'])
    for (const name of ['archive-notes', 'delete-notes'])
      expect(await statusAndCode(await send(owner, name, { ids: [] }))).toEqual([400, 'invalid-input'])
  })
})

describe('the owner of a note', () => {
  it('is shown with id and name to people it is shared with, in each answer', async () => {
    const { owner, member } = await world.team()
    const { note } = await act(owner, 'create-note', { title: 'Lent' })
    const shown = { id: owner.userId, name: 'Person', email: owner.email, image: null }
    expect(note.owner).toEqual(shown)
    await act(owner, 'share-note', { id: note.id, email: member.email, role: 'editor' })
    expect((await act(member, 'update-note', { id: note.id, text: 'x' })).note.owner).toEqual(shown)
    expect((await act(member, 'list-notes', {})).notes).toMatchObject([{ owner: shown }])
    expect((await act(member, 'search-notes', { query: 'Lent' })).notes).toMatchObject([{ owner: shown }])
    expect(await (await member.browser.get(`/api/notes/${note.id}`)).json()).toMatchObject({ note: { owner: shown } })
    const [item] = (await (await member.browser.get('/note-list')).json()).member
    expect(item).toMatchObject({ ownerEmail: owner.email, owner: shown })
    expect(await (await member.browser.get(`/note-list/${note.id}`)).json()).toMatchObject({ owner: shown })
    await query(server, 'delete from org_members where user_id = ?', [owner.userId])
    const [kept] = (await (await member.browser.get('/note-list')).json()).member
    expect(kept.owner).toEqual({ id: null, name: owner.email, email: owner.email, image: null })
  })
})

describe('/note-list', () => {
  it('filters notes by owner and by access to shared notes', async () => {
    const { owner, member } = await world.team()
    await act(member, 'create-note', { title: 'Own' })
    const { note } = await act(owner, 'create-note', { title: 'Lent' })
    await act(owner, 'share-note', { id: note.id, email: member.email })
    expect(await titles(member, `?ownerEmail=${encodeURIComponent(member.email)}`)).toEqual(['Own'])
    expect(await titles(member, `?ownerEmail=${encodeURIComponent(owner.email)}`)).toEqual(['Lent'])
    expect(await titles(member, '?access[]=admin&access[]=editor&access[]=viewer')).toEqual(['Lent'])
    expect(await titles(member, '?access=owner')).toEqual(['Own'])
  })
})
