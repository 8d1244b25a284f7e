import { expect, onTestFinished, test } from 'vitest'
import { LOCAL_DATA_MARK } from '#fairway/shared/device'
import { createBrowser, signUp } from '../support/http'
import { aPerson } from '../support/people'
import { query } from '../support/query'
import { press } from './page'
import { screen, startApp, waitFor, within } from './support'

const env = { NODE_ENV: 'development' }
const NAME = 'Data from before your account'
const banner = () => screen.findByRole('region', { name: NAME })
const shows = (element: HTMLElement, text: string) => waitFor(() => expect(element.textContent).toContain(text))
const reports = async (role: string, text: string) => {
  const region = await banner()
  await waitFor(() => expect(within(region).getByRole(role).textContent).toContain(text))
}
const isGone = () => waitFor(() => expect(screen.queryByRole('region', { name: NAME })).toBeNull())

/** Two notes belong to the development account. Ada signs up in the same browser. */
async function withLocalData() {
  const app = await startApp({ env })
  const before = createBrowser(app.server.origin)
  await before.get('/sign-in')
  for (const title of ['Plan', 'Draft']) await before.post('/_fw/actions/create-note', { json: { title } })
  await signUp(app.browser, aPerson('Ada'))
  // The document of such a server has a mark for the page's scripts.
  const [mark = ''] =
    new RegExp(`<meta name="${LOCAL_DATA_MARK}"[^>]*>`).exec(await (await before.get('/')).text()) ?? []
  document.head.insertAdjacentHTML('beforeend', mark)
  onTestFinished(() => document.querySelector(`meta[name="${LOCAL_DATA_MARK}"]`)?.remove())
  return app
}

test('the migration banner offers data from before the first account, moves it and shows it', async () => {
  const { server, open, user, left } = await withLocalData()
  await query(
    server,
    `insert into user_settings select id, 'theme', 'dark' from users where kind = 'dev' union all select id, 'theme', 'light' from users where kind <> 'dev'`,
  )
  await open('/notes')
  await screen.findByText('No notes yet')
  await shows(await banner(), 'Data from before your account · 2 notes · 1 setting')
  const move = within(await banner()).getByRole('button', { name: 'Move to my account' })
  move.focus()
  await user.keyboard('{Enter}')
  await reports('status', 'Moved to ada@example.test2 notes')
  await shows(await banner(), 'Already in your account, so kept there: 1 setting')
  const show = within(await banner()).getByRole('button', { name: 'Show data' })
  await waitFor(() => expect(document.activeElement).toBe(show))
  await press('Show data')
  expect(left).toEqual(['/notes'])
  await open('/notes')
  await screen.findByRole('heading', { name: 'Plan' })
  await screen.findByRole('heading', { name: 'Draft' })
  await isGone()
})

test('the migration banner stays hidden when postponed until tomorrow, also after a reload', async () => {
  const { open, requests } = await withLocalData()
  await open('/')
  await press('Not today', 'button', await banner())
  await isGone()
  await open('/')
  await screen.findByRole('region', { name: 'Activity' })
  await isGone()
  expect(requests.filter(each => each.includes('local-migration'))).toEqual([])
  await open('/settings/data')
  await shows(await banner(), 'You can move it to ada@example.test')
})

test('the migration banner reports a failure, moves nothing and can be retried', async () => {
  const { server, open } = await withLocalData()
  await query(server, `create trigger stuck before update on notes begin select raise(abort, 'stuck'); end`)
  await open('/')
  await press('Move to my account', 'button', await banner())
  await reports('alert', 'Nothing was moved.')
  await query(server, 'drop trigger stuck')
  await press('Move to my account', 'button', await banner())
  await reports('status', '2 notes')
})

test('the development account requests no migration', async () => {
  const { open, browser, requests } = await startApp({ env })
  await browser.get('/sign-in')
  await open('/')
  await screen.findByRole('button', { name: /^Account Dev/ })
  await screen.findByRole('region', { name: 'Activity' })
  expect(requests.filter(each => each.includes('local-migration'))).toEqual([])
})
