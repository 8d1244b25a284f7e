import { testApp } from 'nuxt-fairway/vitest'
import { expect, it } from 'vitest'

const app = await testApp()
const maria = await app.person({ name: 'Maria', organization: 'Acme' })
const tom = await app.person({ name: 'Tom', organization: 'Acme' })

it('takes a title without the space around it', async () => {
  await app.as(maria).run('add-note', { title: ' Plan ' })
  const { items } = await app.as(maria).list('note-list')
  expect(items).toMatchObject([{ title: 'Plan' }])
})

it('refuses a note without a title', async () => {
  await expect(app.as(maria).run('add-note', { title: ' ' })).rejects.toMatchObject({ code: 'invalid-input' })
})

it('shows and removes a note for its owner alone', async () => {
  const { id } = await app.as(maria).run('add-note', { title: 'Mine' })
  expect(await app.as(tom).list('note-list')).toMatchObject({ items: [] })
  await expect(app.as(tom).run('remove-note', { id })).rejects.toMatchObject({ code: 'not-found' })
  expect(await app.as(maria).run('remove-note', { id })).toEqual({ id })
})
