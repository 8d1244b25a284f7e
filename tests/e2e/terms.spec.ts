import { expect, test } from '../support/e2e'
import { pageHeading, signUp } from '../support/people'

test('a person with terms to accept is sent to them before a private page and back', async ({ page, origin }) => {
  await signUp(page, origin)
  // The sample declares no terms, so each session response marks them as due until the browser asks for them.
  let termsDue = true
  await page.route('**/_fw/session', async route => {
    const answer = await route.fetch()
    const { session } = await answer.json()
    await route.fulfill({ response: answer, json: { session: { ...session, termsDue } } })
  })
  const asked = page.waitForRequest(request => {
    if (request.url() !== `${origin}/_fw/terms?return=%2Fnotes`) return false
    termsDue = false
    return true
  })
  await page.goto(`${origin}/notes`, { waitUntil: 'commit' })
  await asked
  await expect(pageHeading(page)).toHaveText('Notes')
})
