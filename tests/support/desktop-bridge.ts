import type { Page } from '@playwright/test'
import {
  type DesktopCommand,
  desktopCommandSchema,
  type DesktopStatus,
  desktopStatusSchema,
} from '#fairway/shared/schemas/desktop'

interface PageSide {
  sent: unknown[]
  /** What commands are answered with, instead of the status. */
  answer?: unknown
  /** Whether commands wait to be answered. */
  isHeld: boolean
  release: () => void
  push: (status: unknown) => void
}

/** Where the sign-in of a workspace with three applications stands; the changes say how. */
export const aStatus = (changes: Partial<DesktopStatus> = {}): DesktopStatus =>
  desktopStatusSchema.parse({
    state: 'idle',
    isEnabled: true,
    isAvailable: true,
    email: null,
    apps: [],
    reason: null,
    ...changes,
  })

/** Makes every page of this browser one that a desktop application shows. */
export async function provideDesktop(page: Page, first: unknown) {
  await page.addInitScript(initial => {
    const listeners = new Set<(status: unknown) => void>()
    let status: unknown = initial
    let open: () => void = () => undefined
    const side: PageSide = {
      sent: [],
      isHeld: false,
      release: () => open(),
      push(next) {
        status = next
        for (const listener of listeners) listener(next)
      },
    }
    const bridge = {
      async send(command: unknown) {
        side.sent.push(command)
        if (side.isHeld) await new Promise<void>(resolve => (open = resolve))
        return side.answer ?? { ok: true, status }
      },
      onStatus(listener: (status: unknown) => void) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    }
    Object.assign(window, { fairwayDesktop: bridge, desktopSide: side })
  }, first)

  const change = (changes: Partial<Omit<PageSide, 'release' | 'push'>>) =>
    page.evaluate(
      given => void Object.assign((window as never as { desktopSide: PageSide }).desktopSide, given),
      changes,
    )
  return {
    /** The status changes, as the desktop application says by itself. */
    push: (status: unknown) =>
      page.evaluate(given => (window as never as { desktopSide: PageSide }).desktopSide.push(given), status),
    hold: () => change({ isHeld: true }),
    release: () => page.evaluate(() => (window as never as { desktopSide: PageSide }).desktopSide.release()),
    answerWith: (answer: unknown) => change({ answer }),
    /** The commands that were sent since the page was opened, each one that the schema knows. */
    async sent(): Promise<DesktopCommand[]> {
      const sent = await page.evaluate(() => (window as never as { desktopSide: PageSide }).desktopSide.sent)
      return sent.map(command => desktopCommandSchema.parse(command))
    },
  }
}
