import { expect, test } from '../support/e2e'
import { pageHeading, signUp } from '../support/people'

test('a person with terms to accept is sent to them before a private page and back', async ({ page, origin }) => {
  await signUp(page, origin)
  // The sample declares no terms, so the first response marks them as due, as after a new version.
  await page.route(
    '**/_fw/session',
    async route => {
      const answer = await route.fetch()
      const { session } = await answer.json()
      await route.fulfill({ response: answer, json: { session: { ...session, termsDue: true } } })
    },
    { times: 1 },
  )
  const asked = page.waitForRequest(`${origin}/_fw/terms?return=%2Fnotes`)
  await page.goto(`${origin}/notes`)
  await asked
  await expect(pageHeading(page)).toHaveText('Notes')
})
