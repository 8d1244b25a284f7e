import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { actionPath } from '#fairway/shared/paths'
import { fill, find, heading, openSignedIn, press, shows, texts } from './page'
import { screen, startSignedIn, waitFor } from './support'

const search = () => screen.findByPlaceholderText('Search pages and actions')
const openPalette = () => userEvent.keyboard('{Control>}k{/Control}')

async function searchFor(words: string): Promise<void> {
  const field = await search()
  await userEvent.clear(field)
  await userEvent.type(field, words)
}

async function openAction(name: string): Promise<void> {
  await openPalette()
  await searchFor(name)
  await waitFor(() => expect(texts('option')[0]).toContain(name))
  await userEvent.keyboard('{Enter}')
  await find('button', `Run ${name}`)
}

test('the command palette runs an action, marks invalid fields, and shows the result and the equivalent API and CLI calls', async () => {
  const { server } = await openSignedIn('/notes')
  await shows('No notes yet')
  await openAction('create-note')
  await press('Run create-note')
  const title = await find('textbox', 'Title')
  await waitFor(() => expect(title.getAttribute('aria-invalid')).toBe('true'))
  await screen.findByRole('textbox', { name: 'Title', description: /\w/ })
  await fill('Title', 'From the palette')
  await shows(`${server.origin}/_fw/actions/create-note`)
  await press('Command line', 'tab')
  await shows(`npx fw action create-note --title='From the palette'`)
  await userEvent.type(title, '{Enter}')
  await shows(/Title\s*From the palette/, () => find('region', 'Result'))
  await userEvent.keyboard('{Escape}')
  await find('heading', 'From the palette')
})

test('the command palette finds notes and people, highlights the matches and announces their number', async () => {
  const { browser, open } = await startSignedIn()
  await browser.post(actionPath('create-note'), { json: { title: 'Harbour plan', text: 'Cranes and boats' } })
  await browser.post(actionPath('create-note'), { json: { title: 'Menu', text: 'Soup' } })
  await open('/')
  await openPalette()
  await searchFor('cranes')
  expect((await find('option', /Harbour plan/)).querySelector('mark')?.textContent).toBe('Cranes')
  const statuses = () => screen.getAllByRole('status').map(each => each.textContent)
  await waitFor(() => expect(statuses().join()).toContain('1 result'))
  await searchFor('ada@')
  await find('option', /Ada/)
  await searchFor('zebra')
  await shows('No results for “zebra”')
  await searchFor('harbour')
  await press(/Harbour plan/, 'option')
  await waitFor(() => expect(window.location.pathname).toMatch(/^\/notes\/[\w-]+$/))
})

test('the command palette requests data after a pause in typing, not for each letter', async () => {
  const { requests } = await openSignedIn('/tools')
  await openPalette()
  await find('option', /create-note/)
  await searchFor('harbour')
  await shows('No results for “harbour”')
  const asked = requests.filter(each => each.includes('/note-list'))
  expect(asked.at(-1)).toContain('content=harbour')
  expect(asked.length).toBeLessThan('harbour'.length - 1)
})

test('the command palette remembers recent entries and clears them on sign-out', async () => {
  const { left } = await openSignedIn('/')
  await openAction('list-notes')
  await userEvent.keyboard('{Escape}')
  await openPalette()
  await searchFor('tools')
  await userEvent.keyboard('{Enter}')
  await waitFor(() => expect(heading()).toBe('Tools'))
  await openPalette()
  const recent = await find('group', 'Recent')
  await waitFor(() =>
    expect(texts('option', recent)).toEqual([expect.stringMatching('Tools'), expect.stringMatching('list-notes')]),
  )
  await searchFor('sign out')
  await userEvent.keyboard('{Enter}')
  await waitFor(() => expect(left[0]).toMatch(/^\/sign-in/))
  expect(localStorage.getItem('fairway-recents')).toBeNull()
})
