import { z } from 'zod'
import type { DesktopHost } from '../host'

const KEY = 'windows'
const position = z.number().int().min(-20_000).max(20_000)
const size = z.number().int().min(200).max(20_000)

export const boundsSchema = z.object({ left: position, top: position, width: size, height: size })
export type Bounds = z.infer<typeof boundsSchema>

const memorySchema = z.object({
  /** The applications that were open when the program ended, in the order in which they were opened. */
  open: z.array(z.string()),
  /** Where each window was last, by application, and that of the menu. */
  bounds: z.record(z.string(), boundsSchema),
})
type Memory = z.infer<typeof memorySchema>

export interface WindowMemory {
  /** The applications that were open last time. */
  open(): string[]
  keepOpen(ids: string[]): Promise<void>
  bounds(name: string): Bounds | undefined
  keepBounds(name: string, bounds: Bounds): Promise<void>
  /** Waits until everything is on the disk. */
  written(): Promise<void>
}

/** Where windows were and which were open, for the next start; what cannot be read counts as nothing. */
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

/** The bounds where they can be seen on this screen; only their size where the place is on a screen that is gone. */
export function fitBounds(
  bounds: Bounds,
  screen: { left: number; top: number; width: number; height: number; isExtended: boolean },
): Partial<Bounds> {
  const { left, top, width, height } = bounds
  // Of several screens a page knows only one, so the browser decides.
  if (screen.isExtended) return bounds
  const seen = {
    width: Math.min(left + width, screen.left + screen.width) - Math.max(left, screen.left),
    height: Math.min(top + height, screen.top + screen.height) - Math.max(top, screen.top),
  }
  return seen.width >= 80 && seen.height >= 40 ? bounds : { width, height }
}
