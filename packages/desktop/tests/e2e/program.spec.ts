import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Page, test as base, expect } from '@playwright/test'
import { expectNoViolationsInBothColours } from '../../../../tests/support/accessibility'
import {
  aComputer,
  browserOptions,
  type Computer,
  debuggingAddress,
  type Desktop,
  rememberedWindows,
  startDesktop,
} from '../support/program'
import { readyHub } from '../support/hub'
import { fw, startFw } from '../../../../tests/support/fw'
import { aPerson } from '../../../../tests/support/people'
import { countRows } from '../../../../tests/support/query'
import { startWorkspace, type Workspace } from '../../../../tests/support/workspace'

const ada = aPerson()

interface World {
  workspace: Workspace
  computer: Computer
  /** Starts the program, and ends it after the test if it still runs. */
  start(): Promise<Desktop>
}

const test = base.extend<{ world: World }>({
  // eslint-disable-next-line no-empty-pattern -- Playwright reads the fixtures' names from this pattern
  world: async ({}, use) => {
    const workspace = await startWorkspace()
    await readyHub(workspace.hub, ada)
    const computer = aComputer(workspace)
    const started: Desktop[] = []
    await use({
      workspace,
      computer,
      async start() {
        const desktop = await startDesktop(computer)
        started.push(desktop)
        return desktop
      },
    })
    for (const { program } of started) program.kill()
    await Promise.all(started.map(({ program }) => program.ended))
    await workspace.stop()
  },
})
test.setTimeout(120_000)

const state = ({ menu }: Desktop) => menu.locator('#status')
const row = ({ menu }: Desktop, appId: string) => menu.locator(`[data-app=${appId}]`)
const openApp = ({ menu }: Desktop, name: string) => menu.getByRole('button', { name: `Open: ${name}` }).click()
const CRASHED = 'Its window closed unexpectedly'
const crash = async (desktop: Desktop, profile: string) => {
  const session = await (await desktop.browser(profile)).newBrowserCDPSession()
  await session.send('Browser.crash').catch(() => undefined)
}
/** The menu after it has reopened. */
const menuThatTells = async (desktop: Desktop): Promise<Page> => {
  const menu = await desktop.window('menu')
  await expect(menu.locator('[data-app=mail]')).toContainText(CRASHED)
  await menu.evaluate(() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))))
  return menu
}
const isRunning = (id: number): boolean => {
  try {
    return process.kill(id, 0)
  } catch {
    return false
  }
}
/** The session of the window's page, once its redirects have ended. */
const sessionIn = (page: Page) =>
  expect.poll(() =>
    page.evaluate(async () => (await (await fetch('/_fw/session')).json()).session).catch(() => undefined),
  )

test('one ceremony signs in to every application, and windows and sessions return after the program is killed', async ({
  world,
}) => {
  const { workspace, computer, start } = world
  const first = await start()
  await expect(state(first)).toContainText('You are not signed in')
  await openApp(first, 'mail')
  const before = await first.window('app-mail')
  await expect(before).toHaveURL(/sign-in/)
  await first.signIn(ada)
  await expect(state(first)).toHaveAttribute('data-state', 'signed-in')
  await expect(state(first)).toContainText(ada.email)
  for (const id of ['mail', 'docs']) await expect(row(first, id)).toContainText('Signed in')
  await expectNoViolationsInBothColours(first.menu)

  // The window that showed the sign-in page leaves it.
  await expect(before).not.toHaveURL(/sign-in/)
  await sessionIn(before).toMatchObject({ email: ada.email, provider: 'hub' })
  expect(await before.evaluate(() => [navigator.webdriver, navigator.userAgent])).toEqual([
    false,
    expect.stringMatching(/ Fairway-Desktop\/\d/),
  ])
  const cdp = await before.context().newCDPSession(before)
  const { windowId } = await cdp.send('Browser.getWindowForTarget')
  const bounds = { left: 60, top: 40, width: 640, height: 480 }
  await cdp.send('Browser.setWindowBounds', { windowId, bounds })
  await expect.poll(() => rememberedWindows(computer)).toMatchObject({ open: ['mail'], bounds: { mail: bounds } })
  const sessions = await countRows(workspace.app('mail').server, 'sessions')
  // The settings of an application show the workspace.
  await before.goto(`${workspace.app('mail').origin}/settings/desktop`)
  await expect(before.getByRole('region', { name: 'Workspace on this computer' })).toContainText('docs')
  first.program.kill('SIGKILL')
  await first.program.ended

  const second = await start()
  const after = await second.window('app-mail')
  await expect(after).toHaveURL(url => url.origin === workspace.app('mail').origin && url.pathname !== '/sign-in')
  await sessionIn(after).toMatchObject({ email: ada.email })
  const again = await after.context().newCDPSession(after)
  await expect.poll(async () => (await again.send('Browser.getWindowForTarget')).bounds).toMatchObject(bounds)
  await expect(state(second)).toHaveAttribute('data-state', 'signed-in')
  expect(await second.count('workspace')).toBe(0)
  expect(await countRows(workspace.app('mail').server, 'sessions')).toBe(sessions)
  expect(await second.quit()).toBe(0)
})

test('a link to another site opens in the default browser, and the window keeps its page', async ({ world }) => {
  const { workspace, computer, start } = world
  const desktop = await start()
  await openApp(desktop, 'mail')
  const mail = await desktop.window('app-mail')
  await expect(mail).toHaveURL(/sign-in/)
  const { origin: elsewhere } = workspace.app('docs')
  const click = (href: string, target: string) =>
    mail.evaluate(
      ([to, where]) => {
        const link = Object.assign(document.createElement('a'), {
          href: to,
          target: where,
          textContent: 'away',
          id: 'away',
        })
        document.querySelector('#away')?.remove()
        document.body.append(link)
        link.click()
      },
      [href, target] as const,
    )
  await click(`${elsewhere}/about#here`, '')
  await expect.poll(() => computer.openedElsewhere()).toEqual([`${elsewhere}/about#here`])
  await expect(mail).toHaveURL(/sign-in/)
  await click(`${elsewhere}/about?new`, '_blank')
  await expect.poll(() => computer.openedElsewhere()).toEqual([`${elsewhere}/about#here`, `${elsewhere}/about?new`])
  await expect.poll(() => desktop.count('app-mail')).toBe(1)
  // The window shows the application's pages, and a script may lead to a provider and back.
  await click('/about', '')
  await expect(mail).toHaveURL(`${workspace.app('mail').origin}/about`)
  await mail.evaluate(to => window.location.assign(to), `${elsewhere}/about`)
  await expect(mail).toHaveURL(`${elsewhere}/about`)
  expect(computer.openedElsewhere()).toHaveLength(2)
})

test('a window whose browser crashes is reported in the menu and can be opened again', async ({ world }) => {
  const { computer, start } = world
  const desktop = await start()
  await openApp(desktop, 'mail')
  await expect(await desktop.window('app-mail')).toHaveURL(/sign-in/)
  await crash(desktop, 'app-mail')
  await expect(row(desktop, 'mail')).toContainText(CRASHED)
  await openApp(desktop, 'mail')
  await expect(row(desktop, 'mail')).not.toContainText('unexpectedly')
  await expect(await desktop.window('app-mail')).toHaveURL(/sign-in/)

  // A menu that paints nothing more, because it is closing or hidden, has not reported the crash: it reopens. Closing it then ends
  // the program, and the next start opens the window.
  await desktop.menu.evaluate(() => void (window.requestAnimationFrame = () => 0))
  await crash(desktop, 'app-mail')
  await expect(row(desktop, 'mail')).toContainText(CRASHED)
  await desktop.menu.close()
  await (await menuThatTells(desktop)).close()
  expect((await desktop.program.ended).code).toBe(0)
  expect(rememberedWindows(computer)).toMatchObject({ open: ['mail'] })
})

test('a browser crash while its window opens is reported in the menu', async ({ world }) => {
  const desktop = await world.start()
  await openApp(desktop, 'mail')
  await desktop.window('app-mail')
  await desktop.menu.close()
  await crash(desktop, 'app-mail')
  await (await menuThatTells(desktop)).close()
  expect((await desktop.program.ended).code).toBe(0)
})

test('a button held while the menu changes still performs its action', async ({ world }) => {
  const desktop = await world.start()
  await openApp(desktop, 'docs')
  await expect(await desktop.window('app-docs')).toHaveURL(/sign-in/)
  await expect(row(desktop, 'docs').getByRole('button', { name: 'Show: docs' })).toBeVisible()
  await row(desktop, 'mail').getByRole('button').hover()
  await desktop.menu.mouse.down()
  await crash(desktop, 'app-docs')
  // Long enough for the change to arrive.
  await desktop.menu.waitForTimeout(500)
  await desktop.menu.mouse.up()
  await expect(row(desktop, 'docs')).toContainText(CRASHED)
  await expect(row(desktop, 'mail').getByRole('button', { name: 'Show: mail' })).toBeVisible()
})

test('closing the menu while it opens ends the program', async ({ world }) => {
  const { computer } = world
  const program = startFw(['desktop', '--workspace', computer.file, ...computer.browser], computer.env)
  const closeAll = async () => {
    const { host } = debuggingAddress(computer, 'menu')
    const targets: { id: string; type: string }[] = await (await fetch(`http://${host}/json/list`)).json()
    const pages = targets.filter(({ type }) => type === 'page')
    for (const { id } of pages) await fetch(`http://${host}/json/close/${id}`)
    return pages.length
  }
  await expect.poll(() => closeAll().catch(() => 0), { intervals: [1], timeout: 30_000 }).toBeGreaterThan(0)
  expect((await program.ended).code).toBe(0)
})

test('a hanging browser does not stop the program from ending and is ended with it', async ({ world }) => {
  const desktop = await world.start()
  await openApp(desktop, 'mail')
  await expect(await desktop.window('app-mail')).toHaveURL(/sign-in/)
  const session = await (await desktop.browser('app-mail')).newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  const { id = 0 } = processInfo.find(({ type }) => type === 'browser') ?? {}
  process.kill(id, 'SIGSTOP')
  desktop.program.kill('SIGTERM')
  expect((await desktop.program.ended).code).toBe(0)
  await expect.poll(() => isRunning(id)).toBe(false)
})

test('a second start shows the first program’s menu, and closing the last window ends the program', async ({
  world,
}) => {
  const { computer, start } = world
  const desktop = await start()
  await openApp(desktop, 'docs')
  const docs = await desktop.window('app-docs')
  await desktop.menu.close()
  const second = await fw(['desktop', ...computer.browser], computer.env)
  expect(second).toMatchObject({ code: 0, out: expect.stringContaining('It is running already') })
  await expect.poll(() => desktop.count('menu')).toBe(1)
  const menu = await desktop.window('menu')
  await expect(menu.getByRole('button', { name: 'Show: docs' })).toBeVisible()
  await docs.close()
  await expect(menu.getByRole('button', { name: 'Open: docs' })).toBeVisible()
  await menu.close()
  expect((await desktop.program.ended).code).toBe(0)
  expect(rememberedWindows(computer)).toMatchObject({ open: [] })
})

test('the menu uses the system language', async ({ world }) => {
  world.computer.env.LANG = 'de_DE.UTF-8'
  const { menu, program } = await world.start()
  await expect(menu.getByRole('heading', { name: 'Arbeitsbereich' })).toBeVisible()
  // The page can close before the click returns.
  const [{ code }] = await Promise.all([
    program.ended,
    menu
      .getByRole('button', { name: 'Beenden' })
      .click()
      .catch(() => undefined),
  ])
  expect(code).toBe(0)
})

test('the program opens no port by default, and only its user can access the profiles', async ({ world }) => {
  const { computer } = world
  const program = startFw(['desktop', '--workspace', computer.file, ...browserOptions()], computer.env)
  await expect.poll(() => rememberedWindows(computer), { timeout: 30_000 }).toMatchObject({ bounds: { menu: {} } })
  const profiles = join(computer.folder, 'profiles')
  for (const profile of readdirSync(profiles)) {
    expect(existsSync(join(profiles, profile, 'DevToolsActivePort'))).toBe(false)
    expect(statSync(join(profiles, profile)).mode & 0o777).toBe(0o700)
  }
  program.kill()
  expect((await program.ended).code).toBe(0)
})
