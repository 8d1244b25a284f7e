import type { BrowserContext, Page } from 'playwright-core'
import { SIGN_IN_PATH, type DesktopStatus } from 'nuxt-fairway/desktop-wire'
import type { DesktopApp } from '../eligibility'
import { appPartition } from '../host'
import type { Profiles } from './profiles'
import { rememberBounds, type WindowMemory } from './window-memory'
import { originOf } from './attach'
import { ProgramFault } from './workspace-config'

interface AppWindowsInput {
  profiles: Profiles
  memory: WindowMemory
  /** Opens an address in the person's ordinary browser. */
  openElsewhere(url: string): void
  /** Called when the program shows an application. */
  onOpened(appId: string): void
  /** Called when the windows have changed. */
  onChange(): void
}

export interface AppWindows {
  /** Shows the window of an application; opens it when there is none. */
  open(app: DesktopApp): Promise<void>
  isOpen(appId: string): boolean
  /** Whether the application's latest window has ended by a crash. */
  hasCrashed(appId: string): boolean
  /** The number of crashes since the program began. */
  crashes(): number
  /** The number of windows, including those that are opening and those whose end has no known reason yet. */
  count(): number
  /** Reloads the window of an application when it is open. */
  reload(appId: string, when: 'where it asks for a sign-in' | 'wherever it is'): void
  /** Watches for new windows of a partition; call it for a browser that has just started. */
  watch(app: DesktopApp, context: BrowserContext): void
  /** Records the position of all windows; windows that close later are not recorded. */
  rest(): Promise<void>
}

interface Shown {
  page: Page
  note(): Promise<void>
}

/** The windows of the applications, one for each, at their previous place and size. */
export function createAppWindows(input: AppWindowsInput): AppWindows {
  const { profiles, memory, openElsewhere } = input
  const shown = new Map<string, Shown>()
  const opening = new Map<string, Promise<void>>()
  const crashes = createCrashes(profiles)
  const held = { isResting: false }

  const changed = async () => {
    if (!held.isResting) await memory.keepOpen([...new Set([...shown.keys(), ...crashes.of])])
    input.onChange()
  }
  /** Whether the window has crashed. */
  const onClosed = async (appId: string): Promise<boolean> => {
    shown.delete(appId)
    const hasCrashed = await crashes.look(appId)
    await changed()
    return hasCrashed
  }
  const show = async (app: DesktopApp) => {
    const page = await profiles.openAppWindow(appPartition(app.id), app.origin).catch(async error => {
      // A browser that fails to start does not count as a crashed window.
      if (error instanceof ProgramFault || !(await onClosed(app.id))) throw error
    })
    if (!page) return
    await guardNavigation(page, { origin: app.origin, openElsewhere }).catch(() => undefined)
    const note = await rememberBounds(page, app.id, memory)
    // A window that closes immediately does not count as opened, unless its browser has crashed.
    if (page.isClosed()) return void (await onClosed(app.id))
    page.once('close', () => void onClosed(app.id))
    shown.set(app.id, { page, note })
    crashes.of.delete(app.id)
    await changed()
    input.onOpened(app.id)
  }
  return {
    async open(app) {
      const known = shown.get(app.id)
      if (known) return known.page.bringToFront()
      const work = opening.get(app.id) ?? show(app).finally(() => opening.delete(app.id))
      opening.set(app.id, work)
      await work.finally(input.onChange)
    },
    isOpen: appId => shown.has(appId),
    hasCrashed: appId => crashes.of.has(appId),
    crashes: crashes.count,
    count: () => shown.size + opening.size + crashes.inDoubt(),
    reload(appId, when) {
      const page = shown.get(appId)?.page
      if (!page || (when === 'where it asks for a sign-in' && !isSignIn(page.url()))) return
      // A page that fails to load stays for the person to see.
      void page.reload().catch(() => undefined)
    },
    watch(app, context) {
      context.on('page', page => {
        // The code that opens our own windows also watches them.
        if (opening.has(app.id)) return
        void guardNewWindow(page, { origin: app.origin, openElsewhere }).catch(() => undefined)
      })
    },
    async rest() {
      held.isResting = true
      await Promise.all([...shown.values()].map(({ note }) => note()))
    },
  }
}

/** Finds out why windows have ended: it checks whether their browser still responds. */
function createCrashes(profiles: Profiles) {
  const of = new Set<string>()
  const held = { count: 0, inDoubt: 0 }
  return {
    /** The applications whose browser has crashed, until they are opened again. */
    of,
    count: () => held.count,
    inDoubt: () => held.inDoubt,
    async look(appId: string): Promise<boolean> {
      held.inDoubt += 1
      const hasCrashed = !(await profiles.isAlive(appPartition(appId)))
      held.inDoubt -= 1
      if (!hasCrashed) return false
      of.add(appId)
      held.count += 1
      return true
    },
  }
}

const isSignIn = (url: string): boolean => URL.canParse(url) && new URL(url).pathname === SIGN_IN_PATH

interface GuardInput {
  /** The application that the window shows. */
  origin: string
  /** Opens an address in the person's ordinary browser. */
  openElsewhere(url: string): void
}

/**
 * Opens a clicked link to another origin in the person's ordinary browser instead. Redirects, forms and navigation by scripts
 * stay in the window, because signing in at a provider leads through other origins and back.
 */
async function guardNavigation(page: Page, { origin, openElsewhere }: GuardInput): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const held: { clicked?: string } = {}
  const { frameTree } = await session.send('Page.getFrameTree')
  const mainFrame = frameTree.frame.id
  session.on('Page.frameRequestedNavigation', ({ frameId, reason, url }) => {
    if (frameId === mainFrame) held.clicked = reason === 'anchorClick' ? url : undefined
  })
  session.on('Fetch.requestPaused', ({ requestId, frameId, request, redirectedRequestId }) => {
    const isClicked = frameId === mainFrame && request.url === withoutHash(held.clicked) && !redirectedRequestId
    // Only http and https addresses have an origin here, so no other address is passed on.
    const isElsewhere = !['', origin].includes(originOf(request.url)) && originOf(page.url()) === origin
    if (!isClicked || !isElsewhere) {
      // The page may be closed by this time.
      void session.send('Fetch.continueRequest', { requestId }).catch(() => undefined)
      return
    }
    void session.send('Fetch.failRequest', { requestId, errorReason: 'Aborted' }).catch(() => undefined)
    openElsewhere(held.clicked ?? request.url)
  })
  await session.send('Page.enable')
  await session.send('Fetch.enable', { patterns: [{ resourceType: 'Document', requestStage: 'Request' }] })
}

const withoutHash = (url: string | undefined): string | undefined => url?.split('#', 1)[0]

/** Closes a new window of a partition that shows another origin and opens its address in the ordinary browser. */
async function guardNewWindow(page: Page, { origin, openElsewhere }: GuardInput): Promise<void> {
  const now = originOf(page.url())
  if (now === '' || now === origin) return guardNavigation(page, { origin, openElsewhere })
  openElsewhere(page.url())
  await page.close()
}

/** Reloads windows: those that wait for a sign-in when their application has a session, and all that are signed out. */
export function followStatus(windows: Pick<AppWindows, 'reload'>): (status: DesktopStatus) => void {
  const done = new Set<string>()
  return status => {
    const isLeaving = isSigningOut(status)
    const statusOf = new Map(status.apps.map(app => [app.id, app.status]))
    for (const id of done) {
      // Signing out removes an application from the list when its session has ended.
      const isStill = isLeaving ? statusOf.has(id) : statusOf.get(id) === 'signed-in'
      if (isStill) continue
      done.delete(id)
      if (isLeaving) windows.reload(id, 'wherever it is')
    }
    for (const [id, app] of statusOf) {
      if (app === 'signed-in' && !done.has(id)) windows.reload(id, 'where it asks for a sign-in')
      if (app === 'signed-in') done.add(id)
    }
  }
}

/** Beginning a sign-in and opting out also reset the state of applications, but end no session. */
const isSigningOut = ({ email, isEnabled, state }: DesktopStatus): boolean =>
  isEnabled && email === null && (state === 'idle' || state === 'failed')
