import type { BrowserContext, Page } from 'playwright-core'
import { drawMenu, MENU_SEND, menuElements, menuHtml } from './menu-page'
import { menuCommandSchema, type MenuCommand, type MenuView, type Texts } from './menu-view'
import { MENU_PARTITION, type Profiles } from './profiles'
import { rememberBounds, type WindowMemory } from './window-memory'

/** An address outside every network; the program responds to it inside the browser, and no port is open. */
const MENU_ADDRESS = 'https://menu.fairway-desktop.invalid/'

export interface MenuWindowInput {
  profiles: Profiles
  memory: WindowMemory
  /** The content to draw, and what to run once a person could see it. */
  view(): { drawn: MenuView; onSeen(): void }
  onClosed(): void
}

export interface MenuWindow {
  /** Shows the menu in front of other windows. */
  show(): Promise<void>
  isOpen(): boolean
  /** Redraws the menu when it is open. */
  draw(): void
  /** Records the position of the window. */
  rest(): Promise<void>
}

interface MenuSpeech {
  language: string
  direction: 'ltr' | 'rtl'
  texts: Texts
  onCommand(command: MenuCommand): Promise<void>
}

/** Restricts the menu's browser to the menu; call it for a browser that has just started. */
export async function prepareMenu(
  context: BrowserContext,
  { language, direction, texts, onCommand }: MenuSpeech,
): Promise<void> {
  await context.route('**/*', route =>
    route.request().url() === MENU_ADDRESS
      ? route.fulfill({
          contentType: 'text/html; charset=utf-8',
          body: menuHtml(language, direction, texts('desktop.menu.title')),
        })
      : route.abort(),
  )
  await context.exposeBinding(MENU_SEND, async ({ frame, page }, message: unknown) => {
    if (frame !== page.mainFrame() || frame.url() !== MENU_ADDRESS) return
    const command = menuCommandSchema.safeParse(message).data
    if (command) await onCommand(command)
  })
}

/** The window that lists the applications and the state of the sign-in. */
export function createMenuWindow({ profiles, memory, view, onClosed }: MenuWindowInput): MenuWindow {
  const held: { shown?: { page: Page; note(): Promise<void> }; opening?: Promise<void> } = {}
  const drawIn = async (page: Page) => {
    // The content belongs only to the menu's page; a closed page is not drawn.
    if (page.url() !== MENU_ADDRESS) return
    const { drawn, onSeen } = view()
    const isSeen = await page.evaluate(drawMenu, { elements: menuElements(drawn), send: MENU_SEND }).catch(() => false)
    if (isSeen && !page.isClosed()) onSeen()
  }
  const open = async () => {
    // A window can close immediately, and then a healthy browser has no window to return.
    const page = await profiles.openAppWindow(MENU_PARTITION, MENU_ADDRESS).catch(async error => {
      if (!(await profiles.isAlive(MENU_PARTITION))) throw error
    })
    if (!page) return
    page.on('domcontentloaded', () => void drawIn(page))
    const note = await rememberBounds(page, 'menu', memory)
    if (page.isClosed()) return
    held.shown = { page, note }
    page.once('close', () => {
      held.shown = undefined
      onClosed()
    })
    void drawIn(page)
  }
  return {
    async show() {
      if (held.shown) return held.shown.page.bringToFront()
      held.opening ??= open().finally(() => (held.opening = undefined))
      await held.opening
      if (!held.shown) onClosed()
    },
    isOpen: () => held.shown !== undefined,
    draw() {
      if (held.shown) void drawIn(held.shown.page)
    },
    rest: async () => held.shown?.note(),
  }
}
