import type { Browser, BrowserContext } from '@playwright/test'
import type { DesktopHost } from '../../src'
import { createChromiumHost } from '../../src/program/chromium-host'

export interface TestHost extends DesktopHost {
  /** The browser context of a partition; created on first use. */
  context(partition: string): Promise<BrowserContext>
  /** Closes every partition and deletes its cookies. */
  close(): Promise<void>
}

/** The desktop program's host, built on contexts of one running browser, so that tests do not wait for a browser to start. */
export function createTestHost(
  browser: Browser,
  { preferencesFile, version }: { preferencesFile: string; version: string },
): TestHost {
  const contexts = new Map<string, Promise<BrowserContext>>()
  const create = async () =>
    browser.newContext({ userAgent: `${await userAgentOf(browser)} Fairway-Desktop/${version}` })
  const context = (partition: string): Promise<BrowserContext> => {
    const known = contexts.get(partition) ?? create()
    contexts.set(partition, known)
    return known
  }
  return {
    ...createChromiumHost({ context, preferencesFile }),
    context,
    async close() {
      for (const opened of contexts.values()) await (await opened).close()
    },
  }
}

const userAgents = new WeakMap<Browser, Promise<string>>()

/** The browser's user agent. Only a page can report it, so it is read once. */
function userAgentOf(browser: Browser): Promise<string> {
  const known = userAgents.get(browser) ?? readUserAgent(browser)
  userAgents.set(browser, known)
  return known
}

async function readUserAgent(browser: Browser): Promise<string> {
  const page = await browser.newPage()
  const userAgent = await page.evaluate(() => navigator.userAgent)
  await page.close()
  return userAgent
}
