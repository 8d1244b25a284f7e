import { describe, expect, it } from 'vitest'
import { statusAndCode } from '../support/error-code'
import { connectHost } from '../support/mcp'
import { query } from '../support/query'
import { createTeamWorld, type TeamPerson } from '../support/team'
import { useServer } from '../support/use-server'

const server = useServer()
const world = createTeamWorld(server)

const call = async ({ browser }: TeamPerson, name: string, json: object) =>
  (await (await browser.post(`/_fw/actions/${name}`, { json })).json()).result
const lastRequest = async (action: string) =>
  (await query(server, 'select request_id from audit_log where action = ? order by id desc', [action]))[0]?.request_id
const titles = async (person: TeamPerson) =>
  (await call(person, 'list-notes', {})).notes.map(({ title }: { title: string }) => title)

describe('undo', () => {
  it('brings a deleted note back under its ID, for the person who deleted it', async () => {
    const { owner, member } = await world.team()
    const { note } = await call(member, 'create-note', { title: 'Milk' })
    await call(member, 'delete-note', { id: note.id })
    const path = `/_fw/org/audit/${await lastRequest('delete-note')}/undo`
    // The note was private, so its text is not for the owner.
    expect(await statusAndCode(await owner.browser.post(path))).toEqual([404, 'not-found'])
    const planned = await (await member.browser.post(`${path}?dryRun=true`)).json()
    expect(planned).toMatchObject({ undone: 1, calls: [{ action: 'delete-note', obstacle: null }] })
    expect(await titles(member)).toEqual([])
    expect(await (await member.browser.post(path)).json()).toMatchObject({ undone: 1 })
    expect((await call(member, 'get-note', { id: note.id })).note).toMatchObject({ title: 'Milk', access: 'owner' })
  })

  it('takes back what a token did since a time, and nothing else', async () => {
    const { owner } = await world.team()
    const made = { name: 'Script', scopes: ['mcp:read', 'mcp:write'], expiresInDays: 7 }
    const { token } = await (await owner.browser.post('/_fw/tokens', { json: made })).json()
    const { note } = await call(owner, 'create-note', { title: 'Milk' })
    const { note: other } = await call(owner, 'create-note', { title: 'Tea' })
    const host = await connectHost(server.origin, token)
    for (const id of [note.id, other.id]) await host.callTool({ name: 'delete-note', arguments: { id } })
    await host.close()
    expect(await titles(owner)).toEqual([])
    const since = new Date(Date.now() - 60_000).toISOString()
    const undo = (json: object) => owner.browser.post('/_fw/undo', { json })
    expect(await (await undo({ via: 'another', since })).json()).toEqual({ calls: [], undone: 0, hasMore: false })
    expect(await statusAndCode(await undo({ via: 'personal-token', since: 'now' }))).toEqual([400, 'invalid-input'])
    expect(await (await undo({ via: 'personal-token', since })).json()).toMatchObject({ undone: 2, hasMore: false })
    expect((await titles(owner)).toSorted()).toEqual(['Milk', 'Tea'])
  })
})
