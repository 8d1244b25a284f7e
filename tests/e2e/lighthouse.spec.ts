// Lighthouse looks at the built application as Chromium's own tool does, with its settings for desktop computers. How fast pages are
// depends on the machine: bench/browser.mjs measures that.
import { chromium } from '@playwright/test'
import lighthouse, { desktopConfig } from 'lighthouse'
import { chromiumFlags, findChromium } from '../../scripts/chromium.mjs'
import { expect, test } from '../support/e2e'
import { runAction, signUp } from '../support/people'
import { freePort } from '../support/server'

test.describe.configure({ timeout: 180_000 })

for (const path of ['/', '/notes', '/sign-in']) {
  test(`${path} has an accessibility of at least 95 and keeps its place while it loads`, async ({ page, origin }) => {
    const headers: Record<string, string> = {}
    if (path !== '/sign-in') {
      await signUp(page, origin)
      for (const title of ['Groceries', 'Reading list', 'Release checklist'])
        await runAction(page, origin, 'create-note', { title, text: 'Bread, butter, apples' })
      headers.cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
    }
    const port = await freePort()
    const browser = await chromium.launch({
      executablePath: findChromium(),
      args: [...chromiumFlags, `--remote-debugging-port=${port}`],
    })
    const answer = await lighthouse(
      origin + path,
      { port, logLevel: 'error', onlyCategories: ['performance', 'accessibility'], extraHeaders: headers },
      desktopConfig,
    )
    await browser.close()
    expect(new URL(answer?.lhr.finalDisplayedUrl ?? '').pathname).toBe(path)
    expect(answer?.lhr.categories.accessibility?.score).toBeGreaterThanOrEqual(0.95)
    expect(answer?.lhr.audits['cumulative-layout-shift']?.numericValue).toBeLessThan(0.1)
  })
}
