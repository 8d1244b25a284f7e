import type { BrowserContext, Page } from 'playwright-core'
import { SIGN_IN_PATH } from '../../shared/paths'
import type { DesktopApp } from '../eligibility'
import { appPartition } from '../host'
import type { DesktopStatus } from '../../shared/schemas/desktop'
import type { Profiles } from './profiles'
import { rememberBounds, type WindowMemory } from './window-memory'
import { originOf } from './attach'
import { ProgramFault } from './workspace-config'

interface AppWindowsInput {
  profiles: Profiles
  memory: WindowMemory
  /** Opens an address in the person's ordinary browser. */
  openElsewhere(url: string): void
  /** An application is shown. */
  onOpened(appId: string): void
  /** Something about the windows is different now. */
  onChange(): void
}

export interface AppWindows {
  /** Shows the window of an application, which is opened when there is none. */
  open(app: DesktopApp): Promise<void>
  isOpen(appId: string): boolean
  /** Applications whose window has ended without the person, since it was opened last. */
  hasCrashed(appId: string): boolean
  /** How many have crashed since the program began. */
  crashes(): number
  /** How many there are, with those that are about to be and those whose end has no reason yet. */
  count(): number
  /** Loads what the window of an application shows again, when it is open. */
  reload(appId: string, when: 'where it asks for a sign-in' | 'wherever it is'): void
  /** Watches what a partition opens besides; for a browser that has just started. */
  watch(app: DesktopApp, context: BrowserContext): void
  /** Notes where all windows are; from then on closed windows are not noted. */
  rest(): Promise<void>
}

interface Shown {
  page: Page
  note(): Promise<void>
}

/** The windows of the applications: one for each, with the place and size of last time. */
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
  /** Whether it has ended by a crash. */
  const onClosed = async (appId: string): Promise<boolean> => {
    shown.delete(appId)
    const hasCrashed = await crashes.look(appId)
    await changed()
    return hasCrashed
  }
  const show = async (app: DesktopApp) => {
    const page = await profiles.openAppWindow(appPartition(app.id), app.origin).catch(async error => {
      // A browser that does not start is no window that has crashed.
      if (error instanceof ProgramFault || !(await onClosed(app.id))) throw error
    })
    if (!page) return
    await guardNavigation(page, { origin: app.origin, openElsewhere }).catch(() => undefined)
    const note = await rememberBounds(page, app.id, memory)
    // A window that is closed at once was not opened, unless its browser has crashed.
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
      // A page that does not load is the person's to see.
      void page.reload().catch(() => undefined)
    },
    watch(app, context) {
      context.on('page', page => {
        // The window that we open ourselves is looked after where it is opened.
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

/** Finds out why windows have ended: whether their browser still answers. */
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
 * A link to another origin that is clicked in an application's page opens in the person's ordinary browser instead.
 * Redirects, forms and what scripts do stay in the window: signing in at a provider leads through other origins and back.
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
    // Only http and https have an origin here, so nothing else is handed on.
    const isElsewhere = !['', origin].includes(originOf(request.url)) && originOf(page.url()) === origin
    if (!isClicked || !isElsewhere) {
      // The page may be gone by now.
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

/** A new window of a partition that shows another origin is closed and its address opened in the ordinary browser. */
async function guardNewWindow(page: Page, { origin, openElsewhere }: GuardInput): Promise<void> {
  const now = originOf(page.url())
  if (now === '' || now === origin) return guardNavigation(page, { origin, openElsewhere })
  openElsewhere(page.url())
  await page.close()
}

/** Loads windows again: those that ask for a sign-in when their application has one, and all that are signed out. */
export function followStatus(windows: Pick<AppWindows, 'reload'>): (status: DesktopStatus) => void {
  const done = new Set<string>()
  return status => {
    const isLeaving = isSigningOut(status)
    const statusOf = new Map(status.apps.map(app => [app.id, app.status]))
    for (const id of done) {
      // Signing out takes an application off the list when it has ended there.
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

/** Beginning a sign-in and opting out forget how applications stand too, but end no session. */
const isSigningOut = ({ email, isEnabled, state }: DesktopStatus): boolean =>
  isEnabled && email === null && (state === 'idle' || state === 'failed')
