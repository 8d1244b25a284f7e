import type { Page } from '@playwright/test'
import { expectNothingCutOff, expectNoViolations } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { aPerson, pageHeading, runAction, signUp } from '../support/people'

test.use({ serverEnv: { NODE_ENV: 'development' }, reducedMotion: 'reduce' })

/** Creates two notes of the development account, then signs up a person in the same browser. */
async function withLocalData(page: Page, origin: string): Promise<void> {
  await page.request.get(`${origin}/sign-in`)
  await runAction(page, origin, 'create-note', { title: 'Plan' })
  await runAction(page, origin, 'create-note', { title: 'Draft' })
  await page.context().clearCookies()
  await signUp(page, origin, aPerson('Ada'))
}

/** The texts of the scripts that the page loads from now on. */
function watchScripts(page: Page) {
  const texts: Promise<string>[] = []
  page.on('response', answer => answer.request().resourceType() === 'script' && texts.push(answer.text()))
  return async () => (await Promise.all(texts)).join()
}
/** A text of the banner's own code. */
const OF_THE_BANNER = 'local-migration-later'

test('the migration banner supports German and fits a narrow screen in dark mode', async ({ page, origin }) => {
  await page.setViewportSize({ width: 375, height: 700 })
  await page.emulateMedia({ colorScheme: 'dark' })
  await withLocalData(page, origin)
  await page.addInitScript(() => localStorage.setItem('fairway-language', 'de'))
  const scripts = watchScripts(page)
  await page.goto('/')
  const german = page.getByRole('region', { name: 'Daten aus der Zeit vor Ihrem Konto' })
  await expect(german).toContainText('2 Notizen')
  await expectNothingCutOff(page)
  await expectNoViolations(page)
  expect(await scripts()).toContain(OF_THE_BANNER)
  await german.getByRole('button', { name: 'In mein Konto übernehmen' }).click()
  await expect(german.getByRole('status')).toContainText('Zu ada@example.test übernommen')
})

test.describe('without local data migration', () => {
  test.use({ serverEnv: {} })

  test('pages send no migration request and load no migration code', async ({ page, origin }) => {
    await signUp(page, origin)
    const asked: string[] = []
    page.on('request', request => asked.push(new URL(request.url()).pathname))
    const scripts = watchScripts(page)
    await page.goto('/', { waitUntil: 'networkidle' })
    await expect(pageHeading(page)).toBeVisible()
    expect(asked).not.toContain('/_fw/local-migration')
    expect(await scripts()).not.toContain(OF_THE_BANNER)
  })
})
