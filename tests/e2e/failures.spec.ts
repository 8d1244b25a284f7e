import { expect, test } from '../support/e2e'
import { signUp } from '../support/people'

/** Sections with rows of their own: the page, what does not answer, and the sentence of the section. */
const SECTIONS = [
  ['/notes', '**/note-list**', 'Your notes could not be loaded.'],
  ['/team', '**/team-members**', 'The members could not be loaded.'],
  ['/connect', '**/_fw/mcp/endpoint', 'The address of the endpoint could not be loaded.'],
  ['/settings/apps', '**/_fw/grants', 'The connected apps could not be loaded.'],
  ['/settings/apps', '**/_fw/tokens', 'Your tokens could not be loaded.'],
  ['/settings/security#devices', '**/_fw/sessions', 'Your devices could not be loaded.'],
] as const

test('every section says when it cannot be loaded, and tries again', async ({ page, origin }) => {
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
