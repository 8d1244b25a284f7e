import type { Page } from 'playwright-core'
import { boundsSchema, fitBounds, type WindowMemory } from './window-memory'

const EVERY_IN_MS = 1000

/** Puts a window where it was last time, and from then on notes where it is; what it gives does that once more and ends it. */
export async function rememberBounds(page: Page, name: string, memory: WindowMemory): Promise<() => Promise<void>> {
  const session = await page.context().newCDPSession(page)
  const { windowId } = await session.send('Browser.getWindowForTarget')
  const known = memory.bounds(name)
  if (known) {
    const screen = await page.evaluate(readScreen).catch(() => undefined)
    const bounds = screen ? fitBounds(known, screen) : known
    await session.send('Browser.setWindowBounds', { windowId, bounds }).catch(() => undefined)
  }
  const note = async () => {
    const { bounds } = await session.send('Browser.getWindowForTarget')
    // What is maximized or minimized comes back as it was before that.
    const normal = bounds.windowState === 'normal' ? boundsSchema.safeParse(bounds).data : undefined
    if (normal) await memory.keepBounds(name, normal)
  }
  const timer = setInterval(() => void note().catch(() => undefined), EVERY_IN_MS)
  page.once('close', () => clearInterval(timer))
  return async () => {
    clearInterval(timer)
    await note().catch(() => undefined)
  }
}

/** Runs in the page. */
function readScreen() {
  const { availWidth: width, availHeight: height } = screen
  const read = (name: string): unknown => Reflect.get(screen, name)
  const [left, top] = [Number(read('availLeft') ?? 0), Number(read('availTop') ?? 0)]
  return { left, top, width, height, isExtended: read('isExtended') === true }
}
