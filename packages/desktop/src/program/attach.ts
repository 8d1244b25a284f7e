import type { BrowserContext, Page } from 'playwright-core'
import type { Broker } from '../broker'
import type { PageBridge } from '../page-client'
import { desktopAnswerSchema, desktopStatusSchema, type DesktopStatus } from 'nuxt-fairway/desktop-wire'

const SEND = '__fairwayDesktopSend'
const STATUS = 'fairway-desktop-status'

/**
 * Exposes `window.fairwayDesktop` to the pages of a partition. It serves main frames only, and only while they show an origin
 * that may talk to the broker. Every other frame gets "unknown" for each command, and no status. The returned function detaches
 * it.
 */
export async function attach(context: BrowserContext, broker: Broker): Promise<() => void> {
  await context.exposeBinding(SEND, async ({ frame, page }, message: unknown) => {
    const isAnswered = frame === page.mainFrame() && broker.speaksTo(originOf(frame.url()))
    const answer = isAnswered ? await broker.handle(message) : { ok: false, code: 'unknown-command' }
    return desktopAnswerSchema.parse(answer)
  })
  await context.addInitScript(installBridge, { send: SEND, statusEvent: STATUS })
  return broker.onStatus(status => {
    for (const page of context.pages()) {
      if (broker.speaksTo(originOf(page.url()))) void tell(page, desktopStatusSchema.parse(status))
    }
  })
}

const tell = (page: Page, status: DesktopStatus): Promise<unknown> =>
  page
    .evaluate(([type, detail]) => window.dispatchEvent(new CustomEvent(type, { detail })), [STATUS, status] as const)
    .catch(() => undefined)

/** Runs in the page, so it cannot use other code of this file. */
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

/** Returns the origin of an address; empty where it has none, so that it matches no application. */
export const originOf = (url: string): string => (/^https?:/i.test(url) && URL.canParse(url) ? new URL(url).origin : '')
