import type { Page } from '@playwright/test'
import { expectNoViolations } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { aPerson, pageHeading, runAction, signUp } from '../support/people'
import { query } from '../support/query'

test.use({ serverEnv: { NODE_ENV: 'development' }, reducedMotion: 'reduce' })

const banner = (page: Page) => page.getByRole('region', { name: 'Data from before your account' })

/** Creates two notes of the development account, then signs up a person in the same browser. */
async function withLocalData(page: Page, origin: string): Promise<void> {
  await page.request.get(`${origin}/sign-in`)
  await runAction(page, origin, 'create-note', { title: 'Plan' })
  await runAction(page, origin, 'create-note', { title: 'Draft' })
  await page.context().clearCookies()
  await signUp(page, origin, aPerson('Ada'))
}

test('the migration banner offers data from before the first account, moves it and shows it', async ({
  page,
  origin,
  server,
}) => {
  await withLocalData(page, origin)
  await query(
    server,
    `insert into user_settings select id, 'theme', 'dark' from users where kind = 'dev' union all select id, 'theme', 'light' from users where kind <> 'dev'`,
  )
  await page.goto('/notes')
  await expect(page.getByText('No notes yet')).toBeVisible()
  await expect(banner(page)).toContainText('You can move it to ada@example.test')
  await expect(banner(page)).toContainText('2 notes')
  await expect(banner(page)).toContainText('1 setting')
  await expectNoViolations(page)

  await banner(page).getByRole('button', { name: 'Move to my account' }).press('Enter')
  await expect(banner(page).getByRole('status')).toContainText('Moved to ada@example.test2 notes')
  await expect(banner(page)).toContainText('Already in your account, so kept there: 1 setting')
  await expect(banner(page).getByRole('button', { name: 'Show data' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Plan' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Draft' })).toBeVisible()
  await expect(banner(page)).toHaveCount(0)
})

test('the migration banner stays hidden when postponed until tomorrow, also after a reload', async ({
  page,
  origin,
}) => {
  await withLocalData(page, origin)
  await page.goto('/')
  await banner(page).getByRole('button', { name: 'Not today' }).click()
  await expect(banner(page)).toHaveCount(0)
  const asked: string[] = []
  page.on('request', request => asked.push(new URL(request.url()).pathname))
  await page.reload({ waitUntil: 'networkidle' })
  await expect(pageHeading(page)).toBeVisible()
  await expect(banner(page)).toHaveCount(0)
  expect(asked).not.toContain('/_fw/local-migration')
})

test('the migration banner reports a failure, moves nothing and can be retried', async ({ page, origin, server }) => {
  await withLocalData(page, origin)
  await query(server, `create trigger stuck before update on notes begin select raise(abort, 'stuck'); end`)
  await page.goto('/')
  await banner(page).getByRole('button', { name: 'Move to my account' }).click()
  await expect(banner(page).getByRole('alert')).toContainText('Nothing was moved.')
  await query(server, 'drop trigger stuck')
  await banner(page).getByRole('button', { name: 'Move to my account' }).click()
  await expect(banner(page).getByRole('status')).toContainText('2 notes')
})

test('the migration banner supports German and fits a narrow screen in dark mode', async ({ page, origin }) => {
  await page.setViewportSize({ width: 375, height: 700 })
  await page.emulateMedia({ colorScheme: 'dark' })
  await withLocalData(page, origin)
  await page.addInitScript(() => localStorage.setItem('fairway-language', 'de'))
  await page.goto('/')
  const german = page.getByRole('region', { name: 'Daten aus der Zeit vor Ihrem Konto' })
  await expect(german).toContainText('2 Notizen')
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375)
  await expectNoViolations(page)
  await german.getByRole('button', { name: 'In mein Konto übernehmen' }).click()
  await expect(german.getByRole('status')).toContainText('Zu ada@example.test übernommen')
})

test('the development account requests no migration', async ({ page }) => {
  const asked: string[] = []
  page.on('request', request => asked.push(new URL(request.url()).pathname))
  await page.goto('/', { waitUntil: 'networkidle' })
  await expect(page.getByRole('button', { name: /^Account Dev/ })).toBeVisible()
  expect(asked).not.toContain('/_fw/local-migration')
})

test.describe('without local data migration', () => {
  test.use({ serverEnv: {} })

  test('pages send no migration request and load no migration code', async ({ page, origin }) => {
    await signUp(page, origin)
    const asked: string[] = []
    page.on('request', request => asked.push(new URL(request.url()).pathname))
    await page.goto('/', { waitUntil: 'networkidle' })
    await expect(pageHeading(page)).toBeVisible()
    expect(asked.filter(path => /local-?migration/i.test(path))).toEqual([])
  })
})
