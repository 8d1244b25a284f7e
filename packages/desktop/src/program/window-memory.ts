import { z } from 'zod'
import type { Page } from 'playwright-core'
import type { DesktopHost } from '../host'

const KEY = 'windows'
const position = z.number().int().min(-20_000).max(20_000)
const size = z.number().int().min(200).max(20_000)

const boundsSchema = z.object({ left: position, top: position, width: size, height: size })
type Bounds = z.infer<typeof boundsSchema>

const memorySchema = z.object({
  /** The applications that were open when the program ended, in the order they were opened in. */
  open: z.array(z.string()),
  /** The stored place of each window by application, and that of the menu. */
  bounds: z.record(z.string(), boundsSchema),
})
type Memory = z.infer<typeof memorySchema>

export interface WindowMemory {
  /** The applications that were open at the previous exit. */
  open(): string[]
  keepOpen(ids: string[]): Promise<void>
  bounds(name: string): Bounds | undefined
  keepBounds(name: string, bounds: Bounds): Promise<void>
  /** Waits until all changes are on the disk. */
  written(): Promise<void>
}

/** Stores which windows were open and where, for the next start; unreadable data counts as empty. */
export async function createWindowMemory(preferences: DesktopHost['preferences']): Promise<WindowMemory> {
  const read = memorySchema.safeParse(await preferences.get(KEY)).data
  const held: Memory = read ?? { open: [], bounds: {} }
  const state = { last: Promise.resolve() }
  const keep = (change: Partial<Memory>) => {
    Object.assign(held, change)
    state.last = preferences.set(KEY, held)
    return state.last
  }
  return {
    open: () => held.open,
    keepOpen: open => keep({ open }),
    bounds: name => held.bounds[name],
    async keepBounds(name, bounds) {
      if (JSON.stringify(held.bounds[name]) !== JSON.stringify(bounds))
        await keep({ bounds: { ...held.bounds, [name]: bounds } })
    },
    written: () => state.last.catch(() => undefined),
  }
}

/** Returns bounds that are visible on this screen; only the size when the stored place is on a missing screen. */
export function fitBounds(
  bounds: Bounds,
  screen: { left: number; top: number; width: number; height: number; isExtended: boolean },
): Partial<Bounds> {
  const { left, top, width, height } = bounds
  // A page knows only one of several screens, so the browser decides.
  if (screen.isExtended) return bounds
  const seen = {
    width: Math.min(left + width, screen.left + screen.width) - Math.max(left, screen.left),
    height: Math.min(top + height, screen.top + screen.height) - Math.max(top, screen.top),
  }
  return seen.width >= 80 && seen.height >= 40 ? bounds : { width, height }
}

const EVERY_IN_MS = 1000

/**
 * Restores the stored position of a window and then records its changes. The returned function records once more and stops. Does
 * nothing for a closed window.
 */
export const rememberBounds = (page: Page, name: string, memory: WindowMemory): Promise<() => Promise<void>> =>
  followBounds(page, name, memory).catch(() => async () => undefined)

async function followBounds(page: Page, name: string, memory: WindowMemory): Promise<() => Promise<void>> {
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
    // A maximized or minimized window is restored to its earlier bounds.
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
