import { createRequire } from 'node:module'
import { join } from 'node:path'
import { z } from 'zod'
import { houseDir } from '../registry/roots'

const namesSchema = z.record(z.string(), z.unknown()).default({})
const collectionSchema = z.object({ icons: namesSchema, aliases: namesSchema })

/** Whether an icon (`i-lucide-book`) is in one of the named collections, which are installed for the application or the platform. */
export function hasIcon(name: string, collections: readonly string[], rootDir: string): boolean {
  const prefix = collections
    .toSorted((a, b) => b.length - a.length)
    .find(collection => name.startsWith(`i-${collection}-`))
  if (!prefix) return false
  const icons = iconsOf(prefix, rootDir)
  return icons.has(name.slice(`i-${prefix}-`.length))
}

function iconsOf(collection: string, rootDir: string): Set<string> {
  for (const place of [rootDir, houseDir]) {
    const load = createRequire(join(place, 'package.json'))
    try {
      const { icons, aliases } = collectionSchema.parse(load(`@iconify-json/${collection}/icons.json`))
      return new Set([...Object.keys(icons), ...Object.keys(aliases)])
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND')) throw error
    }
  }
  return new Set()
}
