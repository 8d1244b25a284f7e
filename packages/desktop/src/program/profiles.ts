import { spawn } from 'node:child_process'
import { chmod, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import { ProgramFault } from './workspace-config'

export interface ProfilesInput {
  /** Contains a folder for each profile. */
  folder: string
  browser: { path: string; args: readonly string[] }
  /** The program's version for the user agent. */
  version: string
  /** Runs for each browser after it has started, before it shows a page. */
  prepare(partition: string, context: BrowserContext): Promise<void>
  /** The same for the menu's browser. */
  prepareMenu(context: BrowserContext): Promise<void>
}

export interface Profiles {
  /** Returns the running browser of a partition; starts one without a window when there is none. */
  context(partition: string): Promise<BrowserContext>
  /** Opens a window without tabs and address bar that shows this address in the partition. */
  openAppWindow(partition: string, url: string): Promise<Page>
  /** Whether the partition's browser responds; false after a crash. */
  isAlive(partition: string): Promise<boolean>
  /** Closes all browsers, so that they write their cookies. */
  close(): Promise<void>
}

/** The partition of the menu, which has no access to the network. */
export const MENU_PARTITION = 'persist:fairway-menu'

const OPENING_LIMIT_IN_MS = 15_000
/** The time limit for a browser to end after its program was killed. */
const TAKEN_LIMIT_IN_MS = 15_000

/**
 * Runs one browser with a separate profile for each partition. The program controls each through a pipe, so there is no port to
 * reach it by.
 */
export function createProfiles(input: ProfilesInput): Profiles {
  const running = new Map<string, Promise<BrowserContext>>()
  const held: { userAgent?: string; isClosed: boolean } = { isClosed: false }
  const start = async (partition: string): Promise<BrowserContext> => {
    if (held.isClosed) throw new ProgramFault('The program has ended.')
    // Only a running browser reveals its user agent, and the menu does not need it.
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

/** The arguments of every start of a browser on this profile. */
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
      // Only our own arguments: Playwright's defaults for tests switch off the sandbox, the keychain, pop-up blocking and more.
      ignoreDefaultArgs: true,
      args: [...sharedArgs(input, partition), '--remote-debugging-pipe', '--no-startup-window'],
      headless: false,
      userAgent: userAgent && `${userAgent} Fairway-Desktop/${input.version}`,
      // Pages see the person's real window size, colors and motion preference.
      viewport: null,
      colorScheme: null,
      reducedMotion: null,
      forcedColors: null,
      contrast: null,
      // The program closes its browsers itself, after it has recorded their windows.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    })
  const context = await onceFree(start)
  // With an empty listener, the person answers a page's `confirm` dialog.
  context.on('dialog', () => undefined)
  // A person uses this browser, so `webdriver` is false. Otherwise, sites that refuse automated browsers would refuse the person.
  await context.addInitScript(() =>
    Object.defineProperty(Navigator.prototype, 'webdriver', { get: () => false, configurable: true, enumerable: true }),
  )
  const session = await context.browser()?.newBrowserCDPSession()
  // Downloads go to the person's usual download folder.
  await session?.send('Browser.setDownloadBehavior', { behavior: 'default' })
  return context
}

/** The browser of a killed program ends on its own and locks its profile until then. */
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
  // A second start on the same profile passes the address to the running browser, and ends.
  const child = spawn(input.browser.path, [...sharedArgs(input, partition), `--app=${url}`], { stdio: 'ignore' })
  child.once('error', () => undefined)
  return opened.catch(() => openPage(context, url))
}

/** Opens an ordinary window, where none without an address bar is available. A page that fails to load stays visible. */
async function openPage(context: BrowserContext, url: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(url, { waitUntil: 'commit' }).catch(() => undefined)
  return page
}
