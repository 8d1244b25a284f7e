import { expect, test } from 'vitest'
import { query } from '../support/query'
import { screen, startSignedIn, waitFor } from './support'

const field = (name: string) => screen.findByRole<HTMLInputElement>('textbox', { name })

test('a note without a title is not saved, and its text is restored on return', async () => {
  const { open, server, user } = await startSignedIn()
  const notes = () => query(server, 'select title, text from notes')
  await open('/notes/new')
  const title = await field('Title')
  await waitFor(() => expect(document.activeElement).toBe(title))
  await user.tab()
  await user.keyboard('Half a thought')
  await screen.findByText('Add a title to save this note')
  await user.click(screen.getByRole('link', { name: 'All notes' }))
  await screen.findByText('No notes yet')
  expect(await notes()).toEqual([])

  await user.click(screen.getByRole('link', { name: 'New note' }))
  expect((await field('Text')).value).toBe('Half a thought')
  await screen.findByText('Unsaved changes from earlier were restored.')
  await user.type(await field('Title'), 'Thought')
  await screen.findByText('Saved')
  expect(await notes()).toEqual([{ title: 'Thought', text: 'Half a thought' }])
})
