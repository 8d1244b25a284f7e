import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { sessionOf } from '../support/http'
import { insertNotes, noteTitle } from '../support/query'
import { count, fill, find, press, shows } from './page'
import { screen, startSignedIn, waitFor } from './support'

const TOTAL = 75

/** Opens the notes of a person with 75 notes. */
async function openNotes(path = '/notes') {
  const app = await startSignedIn()
  await sessionOf(app.browser)
  await insertNotes(app.server, app.person.email, TOTAL)
  await app.open(path)
  return app
}

const titles = () => [...document.querySelectorAll('main h2')].map(each => each.textContent?.trim())
const begins = (title: string) => waitFor(() => expect(titles()[0]).toBe(title))
const range = (text: string) => screen.findAllByText(text)
const turn = (name: string) => press(`${name} page`)
const search = () => window.location.search
const column = (name: string) => find('columnheader', name)

test('the notes table sorts by its column headings and keeps the order in the URL', async () => {
  const { open } = await openNotes('/notes?page=2')
  expect((await column('Title')).getAttribute('aria-sort')).toBeNull()
  await press('Title', 'button', await column('Title'))
  await begins(noteTitle(1))
  expect((await column('Title')).getAttribute('aria-sort')).toBe('ascending')
  expect(search()).toBe('?sort=title')

  await turn('Next')
  await begins(noteTitle(31))
  expect(search()).toBe('?sort=title&page=2')
  await press('Title', 'button', await column('Title'))
  await begins(noteTitle(75))
  expect((await column('Title')).getAttribute('aria-sort')).toBe('descending')
  await waitFor(() =>
    expect(
      screen
        .getAllByRole('status')
        .map(each => each.textContent)
        .join(),
    ).toContain('Title, descending. 1–30 of 75'),
  )

  await open('/notes?sort=updatedAt&size=100')
  await waitFor(() => expect(titles()).toHaveLength(75))
  await begins(noteTitle(1))
  expect((await column('Changed')).getAttribute('aria-sort')).toBe('ascending')
})

test('changing the page size starts at the first row, and a missing page shows the last one', async () => {
  await openNotes('/notes?page=9')
  await range('61–75 of 75')
  expect(search()).toBe('?page=3')
  await turn('Previous')
  await range('31–60 of 75')
  const sizes = () => find('group', 'Rows per page')
  await press('60', 'button', await sizes())
  await range('1–60 of 75')
  expect(search()).toBe('?size=60')
  expect((await find('button', '60', await sizes())).getAttribute('aria-pressed')).toBe('true')
  await press('100', 'button', await sizes())
  await range('1–75 of 75')
  expect(count('navigation', 'Pages of Notes')).toBe(0)
})

test('search matches titles and texts and is stored in the URL', async () => {
  await openNotes('/notes?page=2')
  await fill(undefined, 'number 7', 'searchbox')
  await waitFor(() => expect(titles()).toHaveLength(7))
  expect(search()).toBe('?content=number+7')
  await fill(undefined, 'zebra', 'searchbox')
  await shows('No results for “zebra”')
  await userEvent.click(screen.getAllByRole('button', { name: /search/i }).at(-1)!)
  await range('1–30 of 75')
  expect(search()).toBe('')
})

test('archiving, pinning and undo update the table at once', async () => {
  const { open } = await openNotes()
  await press(`Archive “${noteTitle(75)}”`)
  await range('1–30 of 74')
  await begins(noteTitle(74))
  await press(`Pin “${noteTitle(50)}”`)
  await begins(noteTitle(50))
  await press('Archive')
  await waitFor(() => expect(titles()).toEqual([noteTitle(75)]))
  expect(search()).toBe('?view=archived')
  await press('Undo')
  await shows('The archive is empty')
  await open('/notes')
  await range('1–30 of 75')
})

test('old rows stay visible while the next page loads, and an outdated request is cancelled', async () => {
  const { intercept } = await openNotes()
  const aborted = new Promise(resolve => {
    intercept(/page=2/, (_, { signal }) => {
      signal?.addEventListener('abort', resolve)
      return new Promise(() => undefined)
    })
  })
  await turn('Next')
  await waitFor(() => expect(document.querySelector('[aria-busy=true] table')).not.toBeNull())
  expect(titles()).toHaveLength(30)
  await turn('Last')
  await aborted
  await range('61–75 of 75')
})
