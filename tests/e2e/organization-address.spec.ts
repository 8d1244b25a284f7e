import type { Page } from '@playwright/test'
import { ORG_PATH } from '#fairway/shared/paths'
import { expectNoViolations } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { aPerson, moveTo, pageHeading, runAction, signUp } from '../support/people'
import { query } from '../support/query'

const HOME = "Ada's organization"
const SECOND = 'Second Office'
const switcher = (page: Page) => page.getByRole('button', { name: /^Organization / })
const path = (page: Page) => new URL(page.url()).pathname

/** Signs Ada up with two organizations; she works in the first. Returns the ID of each. */
async function twoOrganizations(page: Page, origin: string): Promise<{ home: string; second: string }> {
  await signUp(page, origin)
  const { session } = await (await page.request.get(`${origin}/_fw/session`)).json()
  const send = { headers: { origin } }
  const made = await page.request.post(origin + ORG_PATH, { ...send, data: { name: SECOND, confirm: true } })
  await workIn(page, origin, session.orgId)
  return { home: session.orgId, second: (await made.json()).id }
}

const workIn = (page: Page, origin: string, orgId: string) =>
  page.request.put(`${origin}${ORG_PATH}/active`, { headers: { origin }, data: { orgId, confirm: true } })

test('two tabs work in two organizations, and switching in one does not move the other', async ({
  page,
  context,
  origin,
  server,
}) => {
  const { home, second } = await twoOrganizations(page, origin)
  const chosen = () => query(server, `select value from user_settings where key = 'active-org-id'`)
  const before = await chosen()
  await page.goto('/o/adas-organization/notes')
  await expect(pageHeading(page)).toHaveText('Notes')
  await expect(switcher(page)).toContainText(HOME)
  const other = await context.newPage()
  await other.goto('/o/second-office/notes')
  await expect(switcher(other)).toContainText(SECOND)

  await test.step('requests of any code name the organization of their tab, and only that tab shows the row', async () => {
    for (const [tab, title] of [
      [other, 'Written in the second'],
      [page, 'Written at home'],
    ] as const)
      expect(
        await tab.evaluate(async text => {
          const body = JSON.stringify({ title: text })
          const headers = { 'content-type': 'application/json' }
          return (await fetch('/_fw/actions/create-note', { method: 'POST', headers, body })).status
        }, title),
      ).toBe(200)
    await expect(other.getByText('Written in the second')).toBeVisible()
    await expect(page.getByText('Written at home')).toBeVisible()
    await expect(other.getByText('Written at home')).toHaveCount(0)
    await expect(page.getByText('Written in the second')).toHaveCount(0)
    const rows = await query(server, 'select title, org_id from notes order by title')
    expect(rows.map(row => [row.title, row.org_id])).toEqual([
      ['Written at home', home],
      ['Written in the second', second],
    ])
  })

  await test.step('links, history and a reload stay in the organization', async () => {
    await other.getByRole('link', { name: 'Written in the second' }).click()
    await expect(other).toHaveURL(/\/o\/second-office\/notes\/[\w-]+$/)
    expect(await other.evaluate(() => (window as never as Shell).useNuxtApp()._route.path)).toMatch(/^\/notes\//)
    await other.goBack()
    await expect(other).toHaveURL('/o/second-office/notes')
    await other.goForward()
    await other.reload()
    await expect(other.getByRole('textbox', { name: 'Title' })).toHaveValue('Written in the second')
    await moveTo(other, '/team/members')
    expect(path(other)).toBe('/o/second-office/team/members')
    await other.goto('/o/second-office')
    await expect(pageHeading(other)).toContainText('Ada')
    await other.goto('/o/second-office/no/such/page')
    await expect(pageHeading(other)).toHaveText('There is no page at this address')
    await other.getByRole('link', { name: 'Back to home' }).click()
    await expect(other).toHaveURL('/o/second-office/')
    await expect(switcher(other)).toContainText(SECOND)
  })

  await test.step('a link to a page in another organization, as notifications have it, opens it there', async () => {
    const follow = (to: string) =>
      other.evaluate(link => (window as never as Shell).useNuxtApp().$router.push(link), to)
    await follow('/o/adas-organization/team')
    await expect(other).toHaveURL('/o/adas-organization/team')
    await expect(switcher(other)).toContainText(HOME)
    await follow('/o/second-office/team')
    await expect(switcher(other)).toContainText(SECOND)
  })

  await test.step('the switcher opens the same section of the other one, and the list instead of a row', async () => {
    const change = async (to: string) => {
      await switcher(other).click()
      await other.getByRole('menuitemcheckbox', { name: new RegExp(`^${to}`) }).click()
      await expect(switcher(other)).toContainText(to)
    }
    await moveTo(other, '/team/general')
    await change(HOME)
    expect(path(other)).toBe('/o/adas-organization/team/general')
    await moveTo(other, '/notes')
    await other.getByRole('link', { name: 'Written at home' }).click()
    await expect(other).toHaveURL(/\/notes\/[\w-]+$/)
    await change(SECOND)
    expect(path(other)).toBe('/o/second-office/notes')
    await expect(switcher(page)).toContainText(HOME)
    expect(path(page)).toBe('/o/adas-organization/notes')
  })
  expect(await chosen()).toEqual(before)
})

interface Shell {
  useNuxtApp(): { _route: { path: string }; $router: { push(to: string): Promise<unknown> } }
}

test('a tab that shows another organization than the active one saves nothing until the person chooses', async ({
  page,
  origin,
  server,
}) => {
  const { home, second } = await twoOrganizations(page, origin)
  const names = async () =>
    Object.fromEntries((await query(server, 'select id, name from organizations')).map(({ id, name }) => [id, name]))
  const saveAs = async (name: string) => {
    await page.getByRole('button', { name: 'Edit name' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill(name)
    await workIn(page, origin, second)
    await page.getByRole('button', { name: 'Save name' }).click()
  }
  await page.goto('/team/general')
  await saveAs('Harbour')
  const notice = page.getByRole('main').getByRole('alert')
  await expect(notice).toContainText('You work in another organization now. Nothing was saved.')
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('Harbour')
  await expect(page.getByRole('alert').first()).toContainText(`This page still shows ${HOME}`)
  expect(await names()).toEqual({ [home]: HOME, [second]: SECOND })
  await expectNoViolations(page)

  await test.step('it goes on in the shown one, at its address', async () => {
    await notice.getByRole('button', { name: `Open in ${HOME}` }).click()
    await expect(page).toHaveURL('/o/adas-organization/team/general')
    await page.getByRole('button', { name: 'Save name' }).click()
    await expect(page.getByText('The organization is now called Harbour.').first()).toBeVisible()
    expect(await names()).toEqual({ [home]: 'Harbour', [second]: SECOND })
    await page.getByRole('link', { name: 'Members', exact: true }).click()
    await expect(page).toHaveURL('/o/adas-organization/team')
    await expect(switcher(page)).toContainText('Harbour')
  })

  await test.step('or in the active one, with the input', async () => {
    await workIn(page, origin, home)
    await page.goto('/team/general')
    await saveAs('Lighthouse')
    await notice.getByRole('button', { name: `Continue in ${SECOND}` }).click()
    await expect(switcher(page)).toContainText(SECOND)
    await expect(page.getByText('This page still shows')).toHaveCount(0)
    expect(await names()).toEqual({ [home]: 'Harbour', [second]: SECOND })
  })
})

test('an address is changed by the owner, and the one before leads to it', async ({ page, origin }) => {
  await signUp(page, origin)
  // The first organization of a person is made for their first session.
  await page.request.get(`${origin}/_fw/session`)
  await page.goto('/o/adas-organization/team/general')
  await page.getByRole('button', { name: 'Change address' }).click()
  await page.getByRole('textbox', { name: 'Address' }).fill('Harbour')
  await page.getByRole('button', { name: 'Save address' }).click()
  await expect(page).toHaveURL('/o/harbour/team/general')
  await expect(page.getByText('/o/harbour')).toBeVisible()
  await page.goto('/o/adas-organization/notes?q=x#y')
  await expect(page).toHaveURL('/o/harbour/notes?q=x#y')
  await expect(switcher(page)).toContainText(HOME)
})

test('an organization of others looks like one that does not exist, and offers what the person has', async ({
  page,
  context,
  origin,
}) => {
  await signUp(page, origin, aPerson('Eve'))
  await page.request.get(`${origin}/_fw/session`)
  await context.clearCookies()
  await signUp(page, origin)
  for (const slug of ['eves-organization', 'no-such-place']) {
    await page.goto(`/o/${slug}/notes?q=1`)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('You have no access to this organization')
    await expect(page.getByRole('link', { name: 'Sign in as someone else' })).toHaveAttribute(
      'href',
      `/sign-in?${new URLSearchParams({ return: `/o/${slug}/notes?q=1`, again: '1' })}`,
    )
    await expectNoViolations(page)
  }
  await page.getByRole('link', { name: HOME }).click()
  await expect(page).toHaveURL('/o/adas-organization/')
  await expect(switcher(page)).toContainText(HOME)

  await test.step('a membership that ends closes the open page', async () => {
    const { session } = await (await page.request.get(`${origin}/_fw/session`)).json()
    const gone = await page.request.delete(origin + ORG_PATH, { headers: { origin }, data: { name: session.orgName } })
    expect(gone.ok()).toBe(true)
    await page.evaluate(() => window.dispatchEvent(new Event('focus')))
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('You have no access to this organization')
  })
})

test('visitors come back to the address after signing in, and public pages keep it in their links', async ({
  page,
  context,
  origin,
}) => {
  await signUp(page, origin)
  await runAction(page, origin, 'create-note', { title: 'Groceries' })
  await page.goto('/o/adas-organization/about')
  await expect(page.locator('a[href="/o/adas-organization/contact"]').first()).toBeVisible()
  await context.clearCookies()
  await page.goto('/o/adas-organization/notes?q=1')
  await expect(page).toHaveURL(`/sign-in?return=${encodeURIComponent('/o/adas-organization/notes?q=1')}`)
  const { email, password } = aPerson()
  const form = page.locator('#sign-in, #sign-in-password').filter({ visible: true }).first()
  await form.getByLabel('Email address').fill(email)
  await form.getByLabel('Password', { exact: true }).fill(password)
  await form.getByRole('button', { name: /^Sign in/ }).click()
  await expect(page).toHaveURL('/o/adas-organization/notes?q=1')
})
