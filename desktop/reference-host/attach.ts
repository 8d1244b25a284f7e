import type { Page } from '@playwright/test'
import type { Broker } from '../broker'
import type { PageBridge } from '../page-client'
import { desktopAnswerSchema, desktopStatusSchema, type DesktopStatus } from '../../shared/schemas/desktop'

const SEND = '__fairwayDesktopSend'
const STATUS = 'fairway-desktop-status'

/**
 * Gives a page `window.fairwayDesktop`. Only its main frame is listened to, and only while it shows an origin that
 * the broker speaks to; to every other one each command is unknown and no status is told. What it gives ends that.
 */
export async function attach(page: Page, broker: Broker): Promise<() => void> {
  const isTrusted = () => broker.speaksTo(originOf(page.url()))
  await page.exposeBinding(SEND, async ({ frame }, message: unknown) => {
    const isAnswered = frame === page.mainFrame() && broker.speaksTo(originOf(frame.url()))
    const answer = isAnswered ? await broker.handle(message) : { ok: false, code: 'unknown-command' }
    return desktopAnswerSchema.parse(answer)
  })
  await page.addInitScript(installBridge, { send: SEND, statusEvent: STATUS })
  return broker.onStatus(status => {
    if (!page.isClosed() && isTrusted()) void tell(page, desktopStatusSchema.parse(status))
  })
}

const tell = (page: Page, status: DesktopStatus): Promise<unknown> =>
  page
    .evaluate(([type, detail]) => window.dispatchEvent(new CustomEvent(type, { detail })), [STATUS, status] as const)
    .catch(() => undefined)

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : '')

/** Runs in the page, so it can use nothing of this file. */
function installBridge({ send, statusEvent }: { send: string; statusEvent: string }): void {
  if (window !== window.top) return
  const binding: unknown = Reflect.get(window, send)
  if (typeof binding !== 'function') return
  const bridge: PageBridge = {
    send: message => Promise.resolve(Reflect.apply(binding, undefined, [message])),
    onStatus(listener) {
      const onEvent = (event: Event) => event instanceof CustomEvent && listener(event.detail)
      window.addEventListener(statusEvent, onEvent)
      return () => window.removeEventListener(statusEvent, onEvent)
    },
  }
  Object.defineProperty(window, 'fairwayDesktop', { value: Object.freeze(bridge) })
}
