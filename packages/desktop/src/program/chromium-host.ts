import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { BrowserContext } from 'playwright-core'
import { z } from 'zod'
import { createMutex } from 'nuxt-fairway/desktop-wire'
import { jsonOf } from '../ask'
import type { DesktopHost, DesktopWindow, HostAnswer, HostRequest, WindowInput } from '../host'

interface ChromiumHostInput {
  /** Returns the browser context with the cookies of a partition. Its user agent ends with `Fairway-Desktop/<version>`. */
  context(partition: string): Promise<BrowserContext>
  /** The JSON file with the preferences of this device. */
  preferencesFile: string
}

/** The broker's host over browser contexts: each is one partition. */
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
  // A page that fails to load stays for the person to see and close.
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

const EVERY_IN_MS = 50

/** Reports the name of each cookie that appears or changes. It polls, because Chromium's contexts have no events for cookies. */
function watchCookies(opened: Promise<BrowserContext>, listener: (name: string) => void): () => void {
  const held: { hasEnded: boolean; timer?: ReturnType<typeof setTimeout>; known?: Map<string, string> } = {
    hasEnded: false,
  }
  const look = async () => {
    const cookies = await readCookies(await opened).catch(() => undefined)
    if (held.hasEnded) return
    const { known } = held
    held.known = cookies ?? known
    if (known && cookies) {
      for (const [key, value] of cookies) if (known.get(key) !== value) listener(key.split('\n')[0] ?? '')
    }
    held.timer = setTimeout(() => void look(), EVERY_IN_MS)
  }
  void look()
  return () => {
    held.hasEnded = true
    clearTimeout(held.timer)
  }
}

async function readCookies(context: BrowserContext): Promise<Map<string, string>> {
  const cookies = await context.cookies()
  return new Map(cookies.map(({ name, domain, path, value }) => [`${name}\n${domain}\n${path}`, value]))
}

/** Preferences in one JSON file, which is always written as a whole; a missing or broken file counts as empty. */
export function createFilePreferences(file: string): DesktopHost['preferences'] {
  const mutex = createMutex()
  const read = async () => {
    const text = await readFile(file, 'utf8').catch(() => '{}')
    return z.record(z.string(), z.unknown()).safeParse(jsonOf(text)).data ?? {}
  }
  const write = async (key: string, value: unknown) => {
    const text = JSON.stringify({ ...(await read()), [key]: value }, null, 2)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(`${file}.new`, `${text}\n`, { mode: 0o600 })
    await rename(`${file}.new`, file)
  }
  return {
    get: key => mutex(file, async () => (await read())[key]),
    set: (key, value) => mutex(file, () => write(key, value)),
  }
}
