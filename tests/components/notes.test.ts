import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { actionPath } from '#fairway/shared/paths'
import { sessionOf, type TestBrowser } from '../support/http'
import { countRows, insertNotes, noteTitle, query } from '../support/query'
import { addMember } from '../support/team'
import { count, fill, find, heading, openSignedIn, press, shows } from './page'
import { screen, startSignedIn, waitFor, within } from './support'

const saved = () => screen.findByText('Saved')
const text = () => find('textbox', 'Text')
const hasText = (value: string) => waitFor(async () => expect(await text()).toHaveProperty('value', value))
const run = (browser: TestBrowser, action: string, json: object) => browser.post(actionPath(action), { json })
const down = () => new Response('down', { status: 503 })

/** Opens a note of Ada for writing. */
async function openNote(note: { title: string; text: string }) {
  const app = await startSignedIn()
  const { result } = await (await run(app.browser, 'create-note', note)).json()
  const id: string = result.note.id
  const hasRow = (row: object) =>
    waitFor(async () =>
      expect(await query(app.server, 'select title, text from notes where id = ?', [id])).toMatchObject([row]),
    )
  await app.open(`/notes/${id}`)
  await press('Write')
  return { ...app, id, hasRow, change: (change: object, by = app.browser) => run(by, 'update-note', { id, ...change }) }
}

test('a note saves automatically, and the first save creates it', async () => {
  const { server } = await openSignedIn('/notes/new')
  await fill('Title', 'Plan')
  await saved()
  await waitFor(() => expect(window.location.pathname).toMatch(/^\/notes\/[\w-]{20,}$/))
  await fill('Text', 'first line')
  expect(document.activeElement).toBe(await text())
  await waitFor(async () =>
    expect(await query(server, 'select title, text from notes')).toMatchObject([{ title: 'Plan', text: 'first line' }]),
  )
  await saved()

  // Leaving the page saves the text that the pause has not saved yet.
  await fill('Text', 'second line')
  await press('All notes', 'link')
  await shows('second line')
  await press('New note', 'link')
  expect(await find('textbox', 'Title')).toHaveProperty('value', '')
})

test('unsaved changes are kept after a reload and saved when saving works again', async () => {
  const { open, intercept, id, hasRow } = await openNote({ title: 'Plan', text: 'old' })
  let heal = intercept(/update-note/, down)
  await fill('Text', 'new')
  await screen.findByText('Not saved')
  heal()
  await press('Try again')
  await saved()
  await hasRow({ text: 'new' })

  heal = intercept(/update-note/, down)
  await fill('Text', 'newer')
  await screen.findByText('Not saved')
  await open(`/notes/${id}`)
  await hasText('newer')
  heal()
  await fill('Text', 'newest')
  await saved()
  await hasRow({ text: 'newest' })
})

test('a conflict shows the other author and the changed lines, and both versions can be kept', async () => {
  const { open, server, browser, id, change } = await openNote({ title: 'Plan', text: 'Berths\nThree\nTide' })
  const grace = await addMember(server, browser, 'Grace')
  await run(browser, 'set-note-visibility', { id, visibility: 'org-edit' })
  await open(`/notes/${id}`)
  await press('Write')
  await change({ text: 'Berths\nFour\nTide' }, grace)
  await change({ pinned: true }, grace)
  await fill('Text', 'Berths\nThree\nTide\nRopes')

  const notice = () => find('alert')
  await shows('Grace changed this note while you were writing', notice)
  await shows(/Changed .*ago|Changed now/, notice)
  const lines = within(await find('region', 'Text', await notice())).getAllByRole('listitem')
  expect(lines.map(line => line.textContent?.trim())).toEqual([
    'Berths',
    expect.stringMatching(/^−.*only in your version:\s*Three$/s),
    expect.stringMatching(/^\+.*only in the saved version:\s*Four$/s),
    'Tide',
    expect.stringMatching(/^−.*only in your version:\s*Ropes$/s),
  ])
  await press('Keep both', 'button', await notice())
  await hasText('Berths\nFour\nTide')
  expect(count('alert')).toBe(0)
  expect(await query(server, 'select title, text from notes order by title')).toEqual([
    { title: 'Plan', text: 'Berths\nFour\nTide' },
    { title: 'Plan (my version)', text: 'Berths\nThree\nTide\nRopes' },
  ])
  await press('Open', 'link')
  await waitFor(() => expect(heading()).toBe('Plan (my version)'))
})

test('concurrent edits lose no text when the person keeps their version or takes the other', async () => {
  const { change, hasRow } = await openNote({ title: 'Plan', text: 'old' })
  const notice = () => find('alert')
  await change({ text: 'theirs' })
  await fill('Text', 'mine')
  await within(await notice()).findByText('theirs')
  await shows('You changed this note in another tab or on another device', notice)
  await hasText('mine')
  await press('Use my version', 'button', await notice())
  await hasRow({ text: 'mine' })
  await press('Undo')
  await hasText('theirs')
  await hasRow({ text: 'theirs' })

  await change({ text: 'theirs again' })
  await fill('Text', 'mine again')
  await press('Use saved version', 'button', await notice())
  await hasText('theirs again')
  // Undo also works on another page, after the note was closed.
  await press('All notes', 'link')
  await press('Undo')
  await press('Plan', 'link')
  await press('Write')
  await hasText('mine again')
  await saved()
  await hasRow({ text: 'mine again' })
})

test('several notes are selected as a range, archived with undo, and deleted after a confirmation', async () => {
  const { open, server, browser, person } = await startSignedIn()
  await sessionOf(browser)
  await insertNotes(server, person.email, 8)
  await open('/notes')
  const box = (number: number) => find('checkbox', `Select “${noteTitle(number)}”`)
  const bar = () => find('region', 'Selected notes')
  const hasNotes = (n: number) =>
    waitFor(() => {
      expect(count('heading', /^Note \d/)).toBe(n)
      expect(document.querySelector('[aria-busy=true]')).toBeNull()
    })
  await hasNotes(8)
  const user = userEvent.setup()
  await user.click(await box(8))
  await user.keyboard('{Shift>}')
  await user.click(await box(6))
  await user.keyboard('{/Shift}')
  await shows('3 selected', bar)
  await press('Archive', 'button', await bar())
  await shows('3 notes were archived.')
  await hasNotes(5)
  expect(count('region', 'Selected notes')).toBe(0)
  await press('Undo')
  await waitFor(async () => expect(await countRows(server, 'notes where archived = 1')).toBe(0))
  await hasNotes(8)

  await press('Select all on this page', 'checkbox')
  await shows('8 selected', bar)
  await userEvent.click(await box(1))
  await press('Delete', 'button', await bar())
  const dialog = await find('dialog', 'Delete 7 notes?')
  await shows('and 2 more', () => dialog)
  await press('Delete 7 notes', 'button', dialog)
  await shows('7 notes were deleted.')
  expect(await query(server, 'select title from notes')).toMatchObject([{ title: noteTitle(1) }])
})

test('the expected result of an action is shown at once and reverted with the reason on failure', async () => {
  const { browser, open, intercept } = await startSignedIn()
  for (const title of ['Berth', 'Crane']) await run(browser, 'create-note', { title })
  const isPinned = (title: string, pressed = 'true') =>
    waitFor(async () =>
      expect((await find('button', new RegExp(`pin “${title}`, 'i'))).getAttribute('aria-pressed')).toBe(pressed),
    )
  // Pinning fails, after a while.
  let answer = Promise.withResolvers<Response>()
  const fail = () => answer.resolve(down())
  intercept(/update-note/, () => answer.promise)
  await open('/notes')
  await press(/^Pin.*Berth/)
  await isPinned('Berth')
  fail()
  await isPinned('Berth', 'false')
  await waitFor(() => expect(document.body.textContent).toMatch(/(could not be|not changed)/i))

  // Two changes of one row: the pin that fails does not undo the archiving.
  answer = Promise.withResolvers<Response>()
  await press(/^Pin.*Crane/)
  await isPinned('Crane')
  await press(/Archive.*Crane/)
  const isGone = () => waitFor(() => expect(count('button', /^(Pin|Unpin).*Crane/)).toBe(0))
  await isGone()
  fail()
  await find('button', 'Undo')
  await isGone()
  await isPinned('Berth', 'false')
})

test('a note without a title is not saved, and its text is restored on return', async () => {
  const { server, user } = await openSignedIn('/notes/new')
  const notes = () => query(server, 'select title, text from notes')
  const title = await find('textbox', 'Title')
  await waitFor(() => expect(document.activeElement).toBe(title))
  await user.tab()
  await user.keyboard('Half a thought')
  await screen.findByText('Add a title to save this note')
  await press('All notes', 'link')
  await screen.findByText('No notes yet')
  expect(await notes()).toEqual([])

  await press('New note', 'link')
  await hasText('Half a thought')
  await screen.findByText('Unsaved changes from earlier were restored.')
  await fill('Title', 'Thought')
  await saved()
  expect(await notes()).toEqual([{ title: 'Thought', text: 'Half a thought' }])
})

test('a shared note names its owner with the address on hover, also as a filter of the address', async () => {
  const { open, browser, server } = await startSignedIn()
  const grace = await addMember(server, browser, 'Grace')
  const { email } = await sessionOf(grace)
  const { result } = await (await run(grace, 'create-note', { title: 'Tides' })).json()
  const { id } = result.note
  await run(grace, 'share-note', { id, email: 'ada@example.test', role: 'admin' })
  const isNamed = async (name: string, inside = document.body) =>
    expect((await within(inside).findByText(name)).closest('[title]')?.getAttribute('title')).toBe(`Grace · ${email}`)

  await open(`/notes?ownerEmail=${encodeURIComponent(email)}`)
  await isNamed('Grace', await find('table'))
  await waitFor(async () => expect(await find('combobox', 'Owner of the notes')).toHaveProperty('value', 'Grace'))
  await press('Tides', 'link')
  await isNamed('From Grace')
  await press('Share')
  const dialog = await find('dialog')
  await isNamed('Grace', dialog)
  await shows(email, () => dialog)
})
