import type { Page } from '@playwright/test'
import { expect, test } from '../support/e2e'
import { signUp } from '../support/people'

const SESSION = '**/_fw/session'

/** The paths of the documents and data requests that the page sends from now on. */
function watchRequests(page: Page): string[] {
  const seen: string[] = []
  page.on('request', request => seen.push(new URL(request.url()).pathname))
  return seen
}

const content = (page: Page) => page.getByRole('heading', { level: 1 })

test('the session gate shows the layout’s skeleton until the session is known, then the page', async ({
  page,
  origin,
}) => {
  await signUp(page, origin)
  const answer = Promise.withResolvers<void>()
  await page.route(SESSION, async route => {
    await answer.promise
    await route.continue()
  })
  await page.goto('/notes')
  await expect(page.getByRole('main')).toHaveAttribute('aria-busy', 'true')
  await expect(content(page)).toHaveText('Loading')
  await expect(page.getByRole('navigation')).toHaveCount(0)
  answer.resolve()
  await expect(content(page)).toHaveText('Notes')
})

test('the session gate redirects a signed-out visitor once to the sign-in page with path, query and hash', async ({
  page,
}) => {
  const seen = watchRequests(page)
  await page.goto('/notes?view=archived&x=a%26b#top')
  await page.waitForURL('**/sign-in?**')
  expect(new URL(page.url()).searchParams.get('return')).toBe('/notes?view=archived&x=a%26b#top')
  await expect(page.getByRole('button', { name: 'Sign in', exact: true })).toBeVisible()
  expect(seen.filter(path => path === '/sign-in')).toHaveLength(1)
  // Components inside the gate have sent no requests.
  const before = seen.slice(0, seen.indexOf('/sign-in'))
  const asked = before.filter(path => path.startsWith('/_fw/') || path === '/note-list')
  expect(new Set(asked)).toEqual(new Set(['/_fw/session']))
})

test('the session gate leaves no private page in the history of a signed-out visitor', async ({ page }) => {
  await page.goto('/about')
  await page.goto('/notes')
  await page.waitForURL('**/sign-in?**')
  await page.goBack()
  await expect(page).toHaveURL(/\/about$/)
})

for (const [name, fulfil] of [
  ['the server answers 503', { status: 503, body: 'down' }],
  ['the answer is a page of something in between', { status: 200, contentType: 'text/html', body: '<p>proxy</p>' }],
] as const) {
  test(`the session gate reports an unreachable server when ${name} and never signs out`, async ({ page, origin }) => {
    await signUp(page, origin)
    await page.route(SESSION, route => route.fulfill(fulfil))
    await page.goto('/notes')
    await expect(content(page)).toHaveText('Could not reach the server')
    await expect(page).toHaveURL(/\/notes$/)
    await page.unroute(SESSION)
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect(content(page)).toHaveText('Notes')
  })
}

test('the session gate reports an unreachable server when the network fails', async ({ page, origin }) => {
  await signUp(page, origin)
  await page.route(SESSION, route => route.abort('connectionrefused'))
  await page.goto('/settings')
  await expect(content(page)).toHaveText('Could not reach the server')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(content(page)).toHaveText('Could not reach the server')
  await expect(page).toHaveURL(/\/settings$/)
})

test('the session gate reports an unreachable server when there is no answer within ten seconds', async ({
  page,
  origin,
}) => {
  // Time-outs on this page fire twenty times sooner; the test keeps their original values.
  await page.addInitScript(() => {
    const timeOuts: number[] = []
    const soon = AbortSignal.timeout.bind(AbortSignal)
    AbortSignal.timeout = milliseconds => {
      timeOuts.push(milliseconds)
      return soon(milliseconds / 20)
    }
    Object.assign(window, { timeOuts })
  })
  await signUp(page, origin)
  await page.route(SESSION, () => undefined)
  await page.goto('/notes')
  await expect(content(page)).toHaveText('Loading')
  await expect(content(page)).toHaveText('Could not reach the server')
  expect(await page.evaluate(() => Reflect.get(window, 'timeOuts'))).toEqual([10_000])
})

test('signing out in one tab redirects the other tabs to the sign-in page without a reload', async ({
  page,
  context,
  origin,
}) => {
  await signUp(page, origin)
  await page.goto('/notes')
  const other = await context.newPage()
  await other.goto('/settings')
  await expect(content(other)).toHaveText('Settings')
  await page.getByRole('button', { name: /^Account Ada/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL('**/sign-in?return=%2Fnotes')
  await other.waitForURL('**/sign-in?return=%2Fsettings')
})

test('a session that ended elsewhere is noticed when the tab regains focus', async ({ page, origin }) => {
  await signUp(page, origin)
  await page.goto('/notes')
  await expect(content(page)).toHaveText('Notes')
  await page.request.delete('/_fw/session', { headers: { origin } })
  await page.evaluate(() => window.dispatchEvent(new Event('focus')))
  await page.waitForURL('**/sign-in?return=%2Fnotes')
})

test('a session that ended elsewhere is noticed by the next request', async ({ page, origin }) => {
  await signUp(page, origin)
  await page.goto('/notes')
  await expect(page.getByText('No notes yet')).toBeVisible()
  await page.request.delete('/_fw/session', { headers: { origin } })
  await page.getByRole('button', { name: 'Archive', exact: true }).click()
  await page.waitForURL('**/sign-in?return=**')
})

test('a short outage does not remove the page of a signed-in person', async ({ page, origin }) => {
  await signUp(page, origin)
  await page.goto('/notes')
  await page.getByRole('link', { name: 'New note' }).click()
  await page.getByRole('textbox', { name: 'Title' }).fill('Half a thought')
  await page.route(SESSION, route => route.fulfill({ status: 503, body: 'down' }))
  const asked = page.waitForResponse('**/_fw/session')
  await page.evaluate(() => window.dispatchEvent(new Event('focus')))
  await asked
  await expect(page.getByRole('textbox', { name: 'Title' })).toHaveValue('Half a thought')
})

test('every sign-in link on a public page returns to the same place with query and hash', async ({ page, origin }) => {
  const ada = await signUp(page, origin)
  await page.request.delete('/_fw/session', { headers: { origin } })
  const complaints: string[] = []
  page.on('console', message => complaints.push(message.text()))
  await page.goto('/about?x=1&y=a%26b')
  const links = page.getByRole('link', { name: 'Sign in', exact: true })
  await expect(links).toHaveCount(2)
  for (const link of await links.all())
    await expect(link).toHaveAttribute('href', '/sign-in?return=%2Fabout%3Fx%3D1%26y%3Da%2526b')
  await page.getByRole('link', { name: 'Features' }).click()
  for (const link of await links.all()) await expect(link).toHaveAttribute('href', /%23what$/)
  expect(complaints).toEqual([])
  await links.first().click()
  const form = page.locator('#sign-in')
  await form.getByLabel('Email address').fill(ada.email)
  await form.getByLabel('Password', { exact: true }).fill(ada.password)
  await form.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page).toHaveURL(`${origin}/about?x=1&y=a%26b#what`)
})

test('a public page is rendered by the server for everyone and requests no session', async ({ page }) => {
  const html = await (await page.request.get('/about')).text()
  expect(html).toContain('Your work, with the people and tools you choose')
  const seen = watchRequests(page)
  await page.goto('/about', { waitUntil: 'networkidle' })
  await expect(content(page)).toBeVisible()
  expect(seen.filter(path => path.startsWith('/_fw'))).toEqual([])
  await page.getByRole('link', { name: 'Sign in' }).first().click()
  await page.waitForURL('**/sign-in?return=%2Fabout')
})

test('unsaved text is kept when the session ends, until the same person signs in again', async ({ page, origin }) => {
  const ada = await signUp(page, origin)
  await page.goto('/notes')
  await page.getByRole('link', { name: 'New note' }).click()
  await page.getByRole('textbox', { name: 'Text' }).fill('Not lost.')
  await page.request.delete('/_fw/session', { headers: { origin } })
  await page.getByRole('textbox', { name: 'Title' }).fill('Half a thought')
  await page.waitForURL('**/sign-in?**')
  const form = page.locator('#sign-in')
  await form.getByLabel('Email address').fill(ada.email)
  await form.getByLabel('Password', { exact: true }).fill(ada.password)
  await form.getByRole('button', { name: /^Sign in/ }).click()
  await expect(page.getByRole('textbox', { name: 'Title' })).toHaveValue('Half a thought')
  await expect(page.getByRole('textbox', { name: 'Text' })).toHaveValue('Not lost.')
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  await expect(page).toHaveURL(/\/notes\/[\w-]{20,}$/)
})

test('an unknown page shows a message inside the layout with working navigation', async ({ page, origin }) => {
  await signUp(page, origin)
  await page.goto('/no/such/page')
  await expect(content(page)).toHaveText('There is no page at this address')
  await page.getByRole('navigation').getByRole('link', { name: 'Notes' }).click()
  await expect(content(page)).toHaveText('Notes')
})

test('an unknown page shows the message to a signed-out visitor too', async ({ page }) => {
  await page.goto('/no/such/page')
  await expect(content(page)).toHaveText('There is no page at this address')
  await expect(page).toHaveURL(/\/no\/such\/page$/)
})
