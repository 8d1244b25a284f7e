import { expect, test } from '../support/e2e'
import { runAction, signUp } from '../support/people'

test.use({ viewport: { width: 375, height: 800 } })

test('nothing is wider than a narrow screen', async ({ page, origin }) => {
  await signUp(page, origin)
  await runAction(page, origin, 'create-note', {
    title: 'A title that is much longer than a narrow screen is wide',
    text: 'word '.repeat(60),
  })
  for (const path of ['/', '/notes', '/settings', '/about', '/sign-in', '/no/such/page']) {
    await page.goto(path)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await page.waitForLoadState('networkidle')
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    expect([path, wider]).toEqual([path, 0])
  }
})
