import type { Page } from '@playwright/test'
import {
  type DesktopCommand,
  desktopCommandSchema,
  type DesktopStatus,
  desktopStatusSchema,
} from '#fairway/shared/schemas/desktop'

interface PageSide {
  sent: unknown[]
  /** The response to commands, in place of the status. */
  answer?: unknown
  /** Whether responses to commands are held back. */
  isHeld: boolean
  release: () => void
  push: (status: unknown) => void
}

/** The sign-in status of a workspace with three applications, with these changes. */
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

/** Makes every page of this browser look as if a desktop application shows it. */
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
    /** Changes the status, as the desktop application does without a command. */
    push: (status: unknown) =>
      page.evaluate(given => (window as never as { desktopSide: PageSide }).desktopSide.push(given), status),
    hold: () => change({ isHeld: true }),
    release: () => page.evaluate(() => (window as never as { desktopSide: PageSide }).desktopSide.release()),
    answerWith: (answer: unknown) => change({ answer }),
    /** The commands sent since the page was opened; throws when one does not match the schema. */
    async sent(): Promise<DesktopCommand[]> {
      const sent = await page.evaluate(() => (window as never as { desktopSide: PageSide }).desktopSide.sent)
      return sent.map(command => desktopCommandSchema.parse(command))
    },
  }
}
