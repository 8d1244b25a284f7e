import type { BrowserContext, Page } from 'playwright-core'
import { SIGN_IN_PATH } from '../../shared/paths'
import type { DesktopApp } from '../desktop-app'
import { appPartition } from '../partitions'
import { guardNavigation, guardNewWindow } from './guard-navigation'
import type { Profiles } from './profiles'
import { rememberBounds } from './window-bounds'
import type { WindowMemory } from './window-memory'

export interface AppWindowsInput {
  profiles: Profiles
  memory: WindowMemory
  /** Opens an address in the person's ordinary browser. */
  openElsewhere(url: string): void
  /** An application is shown. */
  onOpened(appId: string): void
  /** Something about the windows is different now; whether because one has crashed. */
  onChange(hasCrashed: boolean): void
}

export interface AppWindows {
  /** Shows the window of an application, which is opened when there is none. */
  open(app: DesktopApp): Promise<void>
  isOpen(appId: string): boolean
  /** Applications whose window has ended without the person, since it was opened last. */
  hasCrashed(appId: string): boolean
  /** How many there are, with those that are about to be. */
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
  const crashed = new Set<string>()
  const held = { isResting: false }

  const changed = async (hasCrashed = false) => {
    if (!held.isResting) await memory.keepOpen([...new Set([...shown.keys(), ...crashed])])
    input.onChange(hasCrashed)
  }
  const onClosed = async (appId: string) => {
    shown.delete(appId)
    const hasCrashed = !(await profiles.isAlive(appPartition(appId)))
    if (hasCrashed) crashed.add(appId)
    await changed(hasCrashed)
  }
  const show = async (app: DesktopApp) => {
    const page = await profiles.openAppWindow(appPartition(app.id), app.origin)
    await guardNavigation(page, { origin: app.origin, openElsewhere }).catch(() => undefined)
    const note = await rememberBounds(page, app.id, memory)
    // Whoever closes it at once has opened nothing.
    if (page.isClosed()) return
    page.once('close', () => void onClosed(app.id))
    shown.set(app.id, { page, note })
    crashed.delete(app.id)
    await changed()
    input.onOpened(app.id)
  }
  return {
    async open(app) {
      const known = shown.get(app.id)
      if (known) return known.page.bringToFront()
      const work = opening.get(app.id) ?? show(app)
      opening.set(app.id, work)
      try {
        await work
      } finally {
        opening.delete(app.id)
        input.onChange(false)
      }
    },
    isOpen: appId => shown.has(appId),
    hasCrashed: appId => crashed.has(appId),
    count: () => shown.size + opening.size,
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

const isSignIn = (url: string): boolean => URL.canParse(url) && new URL(url).pathname === SIGN_IN_PATH
