import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { BrowserContext } from 'playwright-core'
import { createBroker, type Broker } from '../broker'
import { appPartition } from '../host'
import { createAppWindows, type AppWindows, followStatus } from './app-windows'
import { attach } from './attach'
import { createChromiumHost } from './chromium-host'
import { workspaceFolderName } from './places'
import { createMenuWindow, prepareMenu, type MenuWindow } from './menu-window'
import { menuView, type MenuCommand, type MenuInput, type Texts } from './menu-view'
import { takeStart } from './one-start'
import { createProfiles, MENU_PARTITION, type Profiles } from './profiles'
import { createWindowMemory, type WindowMemory } from './window-memory'
import type { WorkspaceConfig } from './workspace-config'

export interface ProgramInput {
  config: WorkspaceConfig
  /** The folder of all data of this person. */
  folder: string
  browser: { path: string; args: readonly string[] }
  version: string
  language: string
  /** Its writing direction. */
  direction: 'ltr' | 'rtl'
  texts: Texts
  /** Opens an address in the person's ordinary browser. */
  openElsewhere(url: string): void
  /** Ends the program when it is aborted; the next start reopens the open windows. */
  signal: AbortSignal
  /** Called when this is the only program of the workspace, and it starts. */
  onStarted(): void
}

/** The shared state of the running program. */
interface Program {
  readonly broker: Broker
  readonly profiles: Profiles
  readonly memory: WindowMemory
  readonly windows: AppWindows
  readonly menu: MenuWindow
  isAskedToSignOut: boolean
  failure: MenuInput['failure']
  /** The number of crashes that the menu has reported. */
  reportedCrashes: number
  /** Before the first window opens, and while all close at the end, having no window has no meaning. */
  isWatching: boolean
  end(): void
}

/** The time limit for a browser that hangs; it ends with this process. */
const STOP_LIMIT_IN_MS = 10_000

/**
 * Shows the workspace until its last window is closed. Returns false when the program runs already; that program then shows its
 * menu. The caller must end the process afterwards.
 */
export async function runProgram(input: ProgramInput): Promise<boolean> {
  const folder = join(input.folder, workspaceFolderName(input.config.hub))
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const held: { program?: Program } = {}
  const start = await takeStart(folder, () => void held.program?.menu.show().catch(() => undefined))
  if (!start) return false
  input.onStarted()
  input.signal.addEventListener('abort', () => end())
  try {
    held.program = await createProgram(input, { folder, end })
    if (!input.signal.aborted) await Promise.race([showAll(held.program), ended])
    if (!input.signal.aborted) await ended
  } finally {
    if (held.program) await Promise.race([stop(held.program), wait(STOP_LIMIT_IN_MS)])
    await start.release()
  }
  return true
}

async function createProgram(input: ProgramInput, { folder, end }: { folder: string; end(): void }): Promise<Program> {
  const { config, language, direction, texts, openElsewhere } = input
  const profiles = createProfiles({
    folder,
    browser: input.browser,
    version: input.version,
    prepare: (partition, context) => prepare(program, partition, context),
    prepareMenu: context =>
      prepareMenu(context, { language, direction, texts, onCommand: command => carryOut(program, command) }),
  })
  const host = createChromiumHost({ context: profiles.context, preferencesFile: join(folder, 'preferences.json') })
  const { hub, apps, isDevelopment } = config
  const broker = createBroker({ host, hub, apps, showsCanonical: true, allowLoopback: isDevelopment })
  const memory = await createWindowMemory(host.preferences)
  const windows = createAppWindows({
    profiles,
    memory,
    openElsewhere,
    onOpened: appId => void broker.appLoaded(appId).catch(() => undefined),
    onChange: () => void settle(program),
  })
  const view = () => {
    const crashes = windows.crashes()
    const { hasCrashed, isOpen } = windows
    const seen = { ...program, status: broker.status(), hub, apps: broker.apps(), hasCrashed, isOpen }
    return { drawn: menuView(seen, texts), onSeen: () => void (program.reportedCrashes = crashes) }
  }
  const menu = createMenuWindow({
    profiles,
    memory,
    view,
    onClosed: () => void profiles.isAlive(MENU_PARTITION).then(isAlive => settle(program, !isAlive)),
  })
  const program: Program = {
    broker,
    profiles,
    memory,
    windows,
    menu,
    isAskedToSignOut: false,
    failure: null,
    reportedCrashes: 0,
    isWatching: false,
    end,
  }
  return program
}

/**
 * Prepares a browser that has just started. The hub's browser shows sign-in pages only, and its pages cannot talk to the broker.
 */
async function prepare({ broker, windows }: Program, partition: string, context: BrowserContext): Promise<void> {
  const app = broker.apps().find(({ id }) => appPartition(id) === partition)
  if (!app) return
  context.once('close', await attach(context, broker))
  windows.watch(app, context)
}

async function showAll(program: Program): Promise<void> {
  const { broker, memory, menu, windows } = program
  const wanted = memory.open()
  await menu.show()
  program.isWatching = true
  broker.onStatus(() => menu.draw())
  broker.onStatus(followStatus(windows))
  const started = broker.start()
  await restore(program, wanted)
  await started
  menu.draw()
  // The hub's own applications are known once its stored list has been read.
  await restore(program, wanted)
  // The menu may have been closed while it opened.
  await settle(program)
}

async function restore({ broker, windows }: Program, wanted: readonly string[]): Promise<void> {
  const apps = broker.apps().filter(({ id, isEnabled }) => isEnabled && wanted.includes(id) && !windows.isOpen(id))
  await Promise.allSettled(apps.map(app => windows.open(app)))
}

/** Runs a command of the menu. */
async function carryOut(program: Program, command: MenuCommand): Promise<void> {
  const { broker, menu } = program
  program.failure = null
  program.isAskedToSignOut = command.type === 'ask-sign-out' && command.isAsked
  if (command.type === 'quit') return program.end()
  menu.draw()
  if (command.type === 'open') program.failure = await openApp(program, command.appId)
  else if (command.type !== 'ask-sign-out') {
    const answer = await broker.handle(command)
    program.failure = answer.ok ? null : answer.code
  }
  menu.draw()
}

async function openApp({ broker, windows }: Program, appId: string): Promise<MenuInput['failure']> {
  const app = broker.apps().find(({ id, isEnabled }) => isEnabled && id === appId)
  if (!app) return 'unknown-command'
  try {
    await windows.open(app)
    return null
  } catch {
    return 'not-opened'
  }
}

/**
 * Runs after a window opens or closes. The program ends when a person closes the last window; after an unreported crash the menu
 * opens again.
 */
async function settle(program: Program, hasMenuCrashed = false): Promise<void> {
  const { windows, menu, end } = program
  menu.draw()
  if (!program.isWatching || windows.count() > 0 || menu.isOpen()) return
  if (!hasMenuCrashed && windows.crashes() <= program.reportedCrashes) return end()
  await menu.show().catch(end)
}

async function stop(program: Program): Promise<void> {
  const { broker, memory, menu, profiles, windows } = program
  program.isWatching = false
  broker.stop()
  await Promise.all([windows.rest(), menu.rest()])
  await memory.written()
  await profiles.close()
}
