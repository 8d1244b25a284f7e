import type { Browser, BrowserContext } from '@playwright/test'
import type { DesktopHost, DesktopWindow, HostAnswer, HostRequest, WindowInput } from '../host'
import { watchCookies } from './cookie-watch'
import { createFilePreferences } from './file-preferences'

export interface ChromiumHostInput {
  browser: Browser
  /** The JSON file that keeps the preferences of this device. */
  preferencesFile: string
  /** The shell's version, as the user agent names it. */
  version: string
}

export interface ChromiumHost extends DesktopHost {
  /** The browser context of a partition, in which the shell shows its pages; made when first asked for. */
  context(partition: string): Promise<BrowserContext>
  /** Closes every partition; their cookies are gone. */
  close(): Promise<void>
}

/** A host whose partitions are contexts of one Chromium: the shape of a packaged shell, for tests and for trying it out. */
export function createChromiumHost({ browser, preferencesFile, version }: ChromiumHostInput): ChromiumHost {
  const contexts = new Map<string, Promise<BrowserContext>>()
  const create = async () =>
    browser.newContext({ userAgent: `${await userAgentOf(browser)} Fairway-Desktop/${version}` })
  const context = (partition: string): Promise<BrowserContext> => {
    const known = contexts.get(partition) ?? create()
    contexts.set(partition, known)
    return known
  }
  return {
    context,
    openWindow: async input => openWindow(await context(input.partition), input),
    request: async (partition, request) => sendRequest(await context(partition), request),
    cookies: partition => ({
      remove: async isRemoved => removeCookies(await context(partition), isRemoved),
      onAdded: listener => watchCookies(context(partition), listener),
    }),
    preferences: createFilePreferences(preferencesFile),
    now: () => Date.now(),
    after(milliseconds, work) {
      const timer = setTimeout(work, milliseconds)
      return () => clearTimeout(timer)
    },
    async close() {
      for (const opened of contexts.values()) await (await opened).close()
    },
  }
}

const userAgents = new WeakMap<Browser, Promise<string>>()

/** What a browser calls itself, which only a page of it tells; asked once. */
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

async function openWindow(
  context: BrowserContext,
  { url, onNavigated, onClosed }: WindowInput,
): Promise<DesktopWindow> {
  const page = await context.newPage()
  const held = { isClosedByUs: false }
  page.on('framenavigated', frame => {
    if (frame === page.mainFrame()) onNavigated(frame.url())
  })
  page.on('close', () => {
    if (!held.isClosedByUs) onClosed()
  })
  // A page that does not load is the person's to see and to close.
  void page.goto(url).catch(() => undefined)
  return {
    async close() {
      held.isClosedByUs = true
      await page.close()
    },
  }
}

async function sendRequest(
  context: BrowserContext,
  { method, url, headers, body, signal }: HostRequest,
): Promise<HostAnswer> {
  const answer = await context.request.fetch(url, { method, headers, data: body, signal, timeout: 0, maxRedirects: 0 })
  try {
    return { status: answer.status(), location: answer.headers().location ?? null, body: await answer.text() }
  } finally {
    await answer.dispose()
  }
}

async function removeCookies(context: BrowserContext, isRemoved: (name: string) => boolean): Promise<void> {
  const names = new Set((await context.cookies()).map(({ name }) => name))
  for (const name of names) if (isRemoved(name)) await context.clearCookies({ name })
}
