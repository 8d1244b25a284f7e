import type { Page } from '@playwright/test'
import { expect, test } from '../support/e2e'
import { type Person, signUp } from '../support/people'

const content = (page: Page) => page.getByRole('heading', { level: 1 })

/** Fills in the sign-in page. */
async function signInOn(page: Page, { email, password }: Person): Promise<void> {
  const form = page.locator('#sign-in')
  await form.getByLabel('Email address').fill(email)
  await form.getByLabel('Password', { exact: true }).fill(password)
  await form.getByRole('button', { name: /^Sign in/ }).click()
}

test('the session gate shows the layout’s skeleton until the session is known, then the page', async ({
  page,
  origin,
}) => {
  await signUp(page, origin)
  const answer = Promise.withResolvers<void>()
  await page.route('**/_fw/session', async route => {
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

test('signing out in one tab redirects the other tabs to the sign-in page without a reload', async ({
  page,
  context,
  origin,
}) => {
  await signUp(page, origin)
  await page.goto('/notes')
  const other = await context.newPage()
  await other.goto('/settings')
  await expect(content(other)).toHaveText('Profile')
  await page.getByRole('button', { name: /^Account Ada/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL('**/sign-in?return=%2Fnotes')
  await other.waitForURL('**/sign-in?return=%2Fsettings')
})

test('a public page requests no session, its sign-in links return to the same place, and no private page stays in the history', async ({
  page,
  origin,
}) => {
  const ada = await signUp(page, origin)
  await page.request.delete('/_fw/session', { headers: { origin } })
  const seen: string[] = []
  page.on('request', request => seen.push(new URL(request.url()).pathname))
  const complaints: string[] = []
  page.on('console', message => complaints.push(message.text()))
  await page.goto('/about?x=1&y=a%26b', { waitUntil: 'networkidle' })
  await expect(content(page)).toBeVisible()
  expect(seen.filter(path => path.startsWith('/_fw'))).toEqual([])
  const links = page.getByRole('link', { name: 'Sign in', exact: true })
  await expect(links).toHaveCount(2)
  for (const link of await links.all())
    await expect(link).toHaveAttribute('href', '/sign-in?return=%2Fabout%3Fx%3D1%26y%3Da%2526b')
  await page.getByRole('link', { name: 'Features' }).click()
  for (const link of await links.all()) await expect(link).toHaveAttribute('href', /%23what$/)
  expect(complaints).toEqual([])
  await page.goto('/notes')
  await page.waitForURL('**/sign-in?return=%2Fnotes')
  await page.goBack()
  await links.first().click()
  await signInOn(page, ada)
  await expect(page).toHaveURL(`${origin}/about?x=1&y=a%26b#what`)
})

test('unsaved text is kept when the session ends, until the same person signs in again', async ({ page, origin }) => {
  const ada = await signUp(page, origin)
  await page.goto('/notes')
  await page.getByRole('link', { name: 'New note' }).click()
  await page.getByRole('textbox', { name: 'Text' }).fill('Not lost.')
  await page.request.delete('/_fw/session', { headers: { origin } })
  await page.getByRole('textbox', { name: 'Title' }).fill('Half a thought')
  await page.waitForURL('**/sign-in?**')
  await signInOn(page, ada)
  await expect(page.getByRole('textbox', { name: 'Title' })).toHaveValue('Half a thought')
  await expect(page.getByRole('textbox', { name: 'Text' })).toHaveValue('Not lost.')
  await expect(page.getByText('Saved', { exact: true })).toBeVisible()
  await expect(page).toHaveURL(/\/notes\/[\w-]{20,}$/)
})
