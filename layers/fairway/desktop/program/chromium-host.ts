import type { BrowserContext } from 'playwright-core'
import type { DesktopHost, DesktopWindow, HostAnswer, HostRequest, WindowInput } from '../host'
import { watchCookies } from './cookie-watch'
import { createFilePreferences } from './file-preferences'

export interface ChromiumHostInput {
  /** The browser context that holds the cookies of a partition. Its user agent ends with `Fairway-Desktop/<version>`. */
  context(partition: string): Promise<BrowserContext>
  /** The JSON file that keeps the preferences of this device. */
  preferencesFile: string
}

/** What the broker needs, over browser contexts: each is one partition. */
export const createChromiumHost = ({ context, preferencesFile }: ChromiumHostInput): DesktopHost => ({
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
})

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
