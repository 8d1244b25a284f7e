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

describe('people', () => {
  it('of the same organization work in it, the first as its owner and the others as members', async () => {
    expect(tom.orgId).toBe(maria.orgId)
    expect(eve.orgId).not.toBe(maria.orgId)
    const roles = await Promise.all(
      [maria, tom].map(async who => (await (await app.as(who).fetch('/_fw/session')).json()).session.orgRole),
    )
    expect(roles).toEqual(['owner', 'member'])
    expect(app.mails).toEqual([])
  })
})

describe('an action', () => {
  it('runs for a person, and what it wrote is a row', async () => {
    const id = await aNote('Plan')
    const [row] = await app.db.select().from(notes).where(eq(notes.id, id))
    expect(row).toMatchObject({ title: 'Plan', ownerEmail: maria.email, orgId: maria.orgId })
  })

  it('is refused with the code of the refusal', async () => {
    const id = await aNote('Mine')
    await expect(app.as(eve).run('get-note', { id })).rejects.toMatchObject({ code: 'not-found', status: 404 })
    await expect(app.as(null).run('get-note', { id })).rejects.toMatchObject({ code: 'unauthenticated', status: 401 })
    await expect(app.as(maria).run('create-note', { title: '' })).rejects.toMatchObject({ code: 'invalid-input' })
  })
})
