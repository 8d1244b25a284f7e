import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { type Browser, chromium, expect, type Page } from '@playwright/test'
import { chromiumFlags, findChromium } from '../../../../scripts/chromium.mjs'
import { type RunningFw, startFw } from '../../../../tests/support/fw'
import type { Workspace } from '../../../../tests/support/workspace'

/** A person's computer: the program's data, and an ordinary browser that records the addresses it should open. */
export interface Computer {
  /** Where the program stores the data of this workspace. */
  folder: string
  env: Record<string, string>
  /** The options of `fw desktop` that name its browser. */
  browser: string[]
  /** The workspace file. */
  file: string
  /** The addresses that were opened in the ordinary browser. */
  openedElsewhere(): string[]
}

/** The options for a browser without a screen, with further arguments. */
export const browserOptions = (further: string[] = []): string[] => [
  '--browser',
  findChromium() ?? '',
  `--browser-args=${[...chromiumFlags, '--headless=new', ...further].join(' ')}`,
]

/** A computer with a file for this workspace. The program has never run on it. */
export function aComputer(workspace: Workspace, env: Record<string, string> = {}): Computer {
  const home = mkdtempSync(join(tmpdir(), 'fw-desk-'))
  const [bin, noted, file] = [join(home, 'bin'), join(home, 'opened'), join(home, 'workspace.json')]
  mkdirSync(bin)
  writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\necho "$1" >> '${noted}'\n`, { mode: 0o755 })
  const apps = workspace.apps.map(({ id, origin }) => ({ id, name: id, origin, workspaceSso: true }))
  writeFileSync(file, JSON.stringify({ hub: workspace.hub.origin, apps }))
  return {
    file,
    folder: join(home, 'data', 'fairway-desktop', workspace.hub.origin.replaceAll(/[^a-z0-9.-]+/g, '_')),
    env: {
      HOME: home,
      XDG_DATA_HOME: join(home, 'data'),
      PATH: `${bin}${delimiter}${process.env.PATH}`,
      LANG: 'en_US.UTF-8',
      ...env,
    },
    // Only these tests use the port: without it, no other process can reach the program's windows.
    browser: browserOptions(['--remote-debugging-port=0']),
    openedElsewhere: () => (existsSync(noted) ? readFileSync(noted, 'utf8').trim().split('\n') : []),
  }
}

/** Where the browser of a profile writes its debugging port and path. */
const portFile = ({ folder }: Computer, profile: string) =>
  join(folder, 'profiles', `fairway-${profile}`, 'DevToolsActivePort')

/** Returns the debugging address of a profile's browser; throws until it has started. A crashed browser leaves an old one. */
export function debuggingAddress(computer: Computer, profile: string): { host: string; path: string } {
  const [port, path = ''] = readFileSync(portFile(computer, profile), 'utf8').split('\n')
  return { host: `127.0.0.1:${port}`, path }
}

export interface Desktop {
  program: RunningFw
  menu: Page
  /** Waits for the newest window of a profile: `menu`, `workspace` or `app-<id>`. */
  window(profile: string): Promise<Page>
  /** The number of windows of a profile. */
  count(profile: string): Promise<number>
  /** The browser of a profile. */
  browser(profile: string): Promise<Browser>
  /** Signs in at the hub, through the menu and the window that opens. */
  signIn(person: { email: string; password: string }): Promise<void>
  /** Quits from the menu, as a person does. */
  quit(): Promise<number | null>
}

/** Starts the program in a separate process with its menu open. */
export async function startDesktop(computer: Computer): Promise<Desktop> {
  // A file from an earlier start names a port that is no longer in use.
  for (const profile of ['menu', 'workspace', 'app-mail', 'app-docs'])
    rmSync(portFile(computer, profile), { force: true })
  const program = startFw(['desktop', '--workspace', computer.file, ...computer.browser], computer.env)
  const browsers = new Map<string, Promise<Browser>>()
  const connect = async (profile: string): Promise<Browser> => {
    let found: Browser | undefined
    await expect(async () => {
      const { host, path } = debuggingAddress(computer, profile)
      found = await chromium.connectOverCDP(`ws://${host}${path}`, { noDefaults: true, timeout: 10_000 })
    }, program.output()).toPass({ timeout: 30_000 })
    return found ?? raise(profile)
  }
  const browser = async (profile: string): Promise<Browser> => {
    const known = await browsers.get(profile)
    if (known?.isConnected()) return known
    const made = connect(profile)
    browsers.set(profile, made)
    return made
  }
  const pages = async (profile: string) => (await browser(profile)).contexts().flatMap(context => context.pages())
  const window = async (profile: string): Promise<Page> => {
    await expect.poll(async () => (await pages(profile)).length, { timeout: 30_000 }).toBeGreaterThan(0)
    return (await pages(profile)).at(-1) ?? raise(profile)
  }
  const menu = await window('menu')
  await expect(menu.getByRole('heading', { level: 1 })).toBeVisible()
  return {
    program,
    menu,
    browser,
    window,
    count: async profile => (await pages(profile)).length,
    async signIn({ email, password }) {
      await menu.getByRole('button', { name: 'Sign in to the workspace' }).click()
      const ceremony = await window('workspace')
      await ceremony.locator('#sign-in input[type=email]').fill(email)
      await ceremony.locator('#sign-in input[type=password]').fill(password)
      // Only the hub may talk to a person at the password prompt, so the page has no bridge to the program.
      expect(await ceremony.evaluate(() => 'fairwayDesktop' in window)).toBe(false)
      await ceremony.getByRole('button', { name: 'Sign in', exact: true }).click()
      await expect(ceremony.getByText(email).first()).toBeVisible()
      await ceremony.getByRole('button', { name: /continue/i }).click()
    },
    async quit() {
      // The window may close before the click is acknowledged.
      await menu
        .getByRole('button', { name: 'Quit' })
        .click()
        .catch(() => undefined)
      return (await program.ended).code
    },
  }
}

/** The window state that the program has stored. */
export function rememberedWindows({ folder }: Computer): unknown {
  const file = join(folder, 'preferences.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).windows : undefined
}

const raise = (what: string): never => {
  throw new Error(what)
}
