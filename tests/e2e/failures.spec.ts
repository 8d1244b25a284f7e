import { expectNoViolationsInBothColours } from '../support/accessibility'
import { expect, test } from '../support/e2e'
import { signUp } from '../support/people'

/** Sections that load rows: the page, the request that fails, and the section's message. */
const SECTIONS = [
  ['/notes', '**/note-list**', 'Your notes could not be loaded.'],
  ['/team', '**/team-members**', 'The members could not be loaded.'],
  ['/connect', '**/_fw/mcp/endpoint', 'The server address could not be loaded.'],
  ['/settings/apps', '**/_fw/grants', 'The connected apps could not be loaded.'],
  ['/settings/apps', '**/_fw/tokens', 'Your tokens could not be loaded.'],
  ['/settings/security#devices', '**/_fw/sessions', 'Your devices could not be loaded.'],
] as const

test('failed home sections keep their place, explain the failure and retry, all in the same way', async ({
  page,
  origin,
}) => {
  await signUp(page, origin)
  const broken = ['**/_fw/actions/list-notes', '**/_fw/activity**', '**/_fw/org/checklist', '**/_fw/connections']
  for (const address of broken) await page.route(address, route => route.fulfill({ status: 503, body: 'busy' }))
  await page.goto('/')
  const names = ['Needs your attention', 'Get started', 'Latest notes', 'Activity']
  for (const name of names) {
    const notice = page.getByRole('region', { name }).getByRole('alert')
    await expect(notice).toContainText(/could(n’t| not) be loaded/)
    await expect(notice).toContainText('unreadable-answer')
  }
  await expectNoViolationsInBothColours(page)
  for (const address of broken) await page.unroute(address)
  // A live change can reload a section before the click.
  for (const name of names) {
    const again = page.getByRole('region', { name }).getByRole('button', { name: 'Try again' })
    await again.click({ timeout: 2000 }).catch(() => undefined)
  }
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('a refusal is shown as one sentence without a code', async ({ page, origin }) => {
  await signUp(page, origin)
  const problem = {
    type: 'urn:fairway:error:forbidden',
    title: 'No.',
    status: 403,
    code: 'forbidden',
    requestId: '0198',
  }
  await page.route('**/_fw/tokens', route => route.fulfill({ status: 403, json: problem }))
  await page.goto('/settings/apps')
  const notice = page.getByRole('alert')
  await expect(notice).toContainText('Your tokens could not be loaded.')
  await expect(notice).not.toContainText(/0198|\bforbidden\b/)
})

test('every section reports that it could not be loaded and retries', async ({ page, origin }) => {
  await signUp(page, origin)
  for (const [path, address, text] of SECTIONS) {
    await page.route(address, route => route.fulfill({ status: 503, body: 'busy' }))
    await page.goto('/about')
    await page.goto(path)
    await expect(page.getByText(text)).toBeVisible()
    await page.unroute(address)
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect(page.getByText(text)).toHaveCount(0)
  }
})
