import { spawn } from 'node:child_process'
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { ProgramFault } from './workspace-config'

export interface ProfilesInput {
  /** Holds a folder for each profile. */
  folder: string
  browser: { path: string; args: readonly string[] }
  /** The program's version, as the user agent names it. */
  version: string
  /** Runs for each browser once it has started, before it shows anything. */
  prepare(partition: string, context: BrowserContext): Promise<void>
  /** The same for the menu's. */
  prepareMenu(context: BrowserContext): Promise<void>
}

export interface Profiles {
  /** The running browser of a partition; started, without a window, when there is none. */
  context(partition: string): Promise<BrowserContext>
  /** A window without tabs and address bar that shows this address in the partition. */
  openAppWindow(partition: string, url: string): Promise<Page>
  /** Whether the partition's browser answers; false after a crash. */
  isAlive(partition: string): Promise<boolean>
  /** Ends all browsers, and with that lets them write their cookies. */
  close(): Promise<void>
}

/** The partition of the menu, which sees nothing of the network. */
export const MENU_PARTITION = 'persist:fairway-menu'

const OPENING_LIMIT_IN_MS = 15_000
/** How long a browser whose program was killed may take to end. */
const TAKEN_LIMIT_IN_MS = 15_000

/** One browser with a profile of its own for each partition. Each is driven through a pipe, so there is no port to reach it by. */
export function createProfiles(input: ProfilesInput): Profiles {
  const running = new Map<string, Promise<BrowserContext>>()
  const held: { userAgent?: string; isClosed: boolean } = { isClosed: false }
  const start = async (partition: string): Promise<BrowserContext> => {
    if (held.isClosed) throw new ProgramFault('The program has ended.')
    // What the browser calls itself is known only from one that runs, and the menu needs no name.
    if (partition !== MENU_PARTITION) await context(MENU_PARTITION)
    const started = await launch(input, partition, held.userAgent)
    held.userAgent ??= await readUserAgent(started)
    started.once('close', () => running.delete(partition))
    await (partition === MENU_PARTITION ? input.prepareMenu(started) : input.prepare(partition, started))
    return started
  }
  const context = (partition: string): Promise<BrowserContext> => {
    const known = running.get(partition) ?? start(partition)
    running.set(partition, known)
    known.catch(() => running.delete(partition))
    return known
  }
  return {
    context,
    openAppWindow: async (partition, url) =>
      openAppWindow(input, { partition, context: await context(partition), url }),
    async isAlive(partition) {
      const known = await running.get(partition)?.catch(() => undefined)
      const session = await known
        ?.browser()
        ?.newBrowserCDPSession()
        .catch(() => undefined)
      return session !== undefined
    },
    async close() {
      held.isClosed = true
      const closing = [...running.values()].map(async started => (await started).close())
      await Promise.allSettled(closing)
    },
  }
}

const profileFolder = ({ folder }: ProfilesInput, partition: string): string =>
  join(folder, 'profiles', partition.replace('persist:', ''))

/** What every start of a browser on this profile is given. */
const sharedArgs = (input: ProfilesInput, partition: string): string[] => [
  `--user-data-dir=${profileFolder(input, partition)}`,
  '--no-first-run',
  '--no-default-browser-check',
  ...input.browser.args,
]

async function launch(input: ProfilesInput, partition: string, userAgent?: string): Promise<BrowserContext> {
  const folder = profileFolder(input, partition)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await chmod(folder, 0o700)
  const start = () =>
    chromium.launchPersistentContext(folder, {
      executablePath: input.browser.path,
      // Only our own arguments: those for tests switch off the sandbox, the keychain, pop-up blocking and more.
      ignoreDefaultArgs: true,
      args: [...sharedArgs(input, partition), '--remote-debugging-pipe', '--no-startup-window'],
      headless: false,
      userAgent: userAgent && `${userAgent} Fairway-Desktop/${input.version}`,
      // Pages see the person's own window, colours and wishes about motion.
      viewport: null,
      colorScheme: null,
      reducedMotion: null,
      forcedColors: null,
      contrast: null,
      // The program ends its browsers itself, after it has noted their windows.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    })
  const context = await onceFree(start)
  // With a listener that does nothing, what a page asks by `confirm` is left to the person.
  context.on('dialog', () => undefined)
  // A person sits before it. Sites that refuse programs are told the truth by that.
  await context.addInitScript(() =>
    Object.defineProperty(Navigator.prototype, 'webdriver', { get: () => false, configurable: true, enumerable: true }),
  )
  const session = await context.browser()?.newBrowserCDPSession()
  // Downloads go where this browser puts them for the person.
  await session?.send('Browser.setDownloadBehavior', { behavior: 'default' })
  return context
}

/** The browser of a program that was killed ends by itself and holds its profile until then. */
async function onceFree(start: () => Promise<BrowserContext>): Promise<BrowserContext> {
  const limit = performance.now() + TAKEN_LIMIT_IN_MS
  for (;;) {
    try {
      return await start()
    } catch (error) {
      const text = error instanceof Error ? error.message : ''
      const isTaken = /ProcessSingleton|existing browser session/i.test(text)
      if (!isTaken) throw new ProgramFault(`The browser did not start:\n${firstLines(text)}`, { cause: error })
      if (performance.now() > limit)
        throw new ProgramFault('The browser still runs with this profile. Close its windows and start again.')
      await wait(500)
    }
  }
}

const firstLines = (text: string): string =>
  text
    .split('\n')
    .filter(line => line.trim() !== '')
    .slice(0, 6)
    .join('\n')

async function readUserAgent(context: BrowserContext): Promise<string | undefined> {
  const session = await context.browser()?.newBrowserCDPSession()
  return (await session?.send('Browser.getVersion'))?.userAgent
}

async function openAppWindow(
  input: ProfilesInput,
  { partition, context, url }: { partition: string; context: BrowserContext; url: string },
): Promise<Page> {
  const isHeadless = input.browser.args.some(argument => argument.startsWith('--headless'))
  if (isHeadless) return openPage(context, url)
  const opened = context.waitForEvent('page', { timeout: OPENING_LIMIT_IN_MS })
  // A browser that is started again on the same profile hands the address to the one that runs, and ends.
  const child = spawn(input.browser.path, [...sharedArgs(input, partition), `--app=${url}`], { stdio: 'ignore' })
  child.once('error', () => undefined)
  return opened.catch(() => openPage(context, url))
}

/** An ordinary window, where there are none without address bar. A page that does not load is the person's to see. */
async function openPage(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(url, { waitUntil: 'commit' }).catch(() => undefined)
  return page
}
