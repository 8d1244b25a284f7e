import { createRequire } from 'node:module'
import { join } from 'node:path'
import { z } from 'zod'
import { ORG_ROLES } from '../../shared/roles'
import { platformDir } from '../registry/roots'
import { type PageFile, withChildren } from './page-files'

const navigationSchema = z.strictObject({
  text: z.string().min(1),
  icon: z.string().regex(/^i-[a-z0-9]+(-[a-z0-9]+)+$/, 'must be the name of an icon, for example i-lucide-book'),
  order: z.number().optional(),
  group: z.string().min(1).optional(),
  sidebar: z.boolean().optional(),
  roles: z.array(z.enum(ORG_ROLES)).min(1).optional(),
  shortcut: z
    .string()
    .regex(/^[a-z0-9]$/, 'must be one small letter or a digit, which is pressed after g')
    .optional(),
  operators: z.boolean().optional(),
  area: z.literal('operator').optional(),
})

/** An optional parameter at the end of an address, as in `settings/[[section]].vue`. */
const OPTIONAL_END = /\/:\w+(?:\([\w|-]+\))?\?$/

/** The texts and icons that a navigation entry is checked against. */
interface NavigationGround {
  /** Whether the frame's texts have this key. */
  hasText(key: string): boolean
  /** Whether the build includes an icon. */
  hasIcon(name: string): boolean
}

/** The faults of the entries that pages declare for themselves (`definePageMeta({ navigation })`): the file and the fix. */
export function navigationFaults(pages: readonly PageFile[], ground: NavigationGround): string[] {
  const all = withChildren(pages)
  return [
    ...all.flatMap(({ path, file = path, meta = {} }) =>
      faultsOf(path, meta, ground).map(fault => `${file}: ${fault}`),
    ),
    ...shortcutFaults(all),
  ]
}

/** Two pages with the same shortcut key. */
function shortcutFaults(pages: readonly PageFile[]): string[] {
  const declared = pages.flatMap(({ path, file = path, meta = {} }) => {
    const { shortcut } = navigationSchema.safeParse(meta.navigation).data ?? {}
    return shortcut ? [{ shortcut, file }] : []
  })
  return [...Map.groupBy(declared, ({ shortcut }) => shortcut)]
    .filter(([, same]) => same.length > 1)
    .map(
      ([shortcut, same]) =>
        `${same.map(({ file }) => file).join(' and ')}: navigation.shortcut: g ${shortcut} leads to both; give one of them another key`,
    )
}

function faultsOf(path: string, meta: Record<string, unknown>, ground: NavigationGround): string[] {
  if (meta.navigation === undefined) return []
  const read = navigationSchema.safeParse(meta.navigation)
  if (!read.success)
    return read.error.issues.map(({ path: at, message }) => `${['navigation', ...at].join('.')}: ${message}`)
  const { text, icon, group = text } = read.data
  const faults: string[] = []
  if (path.replace(OPTIONAL_END, '').includes(':'))
    faults.push(`its address ${path} has a parameter, so no entry can lead there; give the entry to a page without one`)
  if (meta.embed === true) faults.push('it is shown inside other sites, which have no navigation; take the entry away')
  for (const key of new Set([text, group]))
    if (!ground.hasText(key))
      faults.push(
        `no catalog has the text ${key}; add it to app/locales/en.json, in a group of your own or in one of the frame`,
      )
  if (!ground.hasIcon(icon))
    faults.push(
      `there is no icon ${icon}; lucide.dev/icons has their names, and other collections are named in icon.collections of nuxt.config.ts`,
    )
  return faults
}

const namesSchema = z.record(z.string(), z.unknown()).default({})
const collectionSchema = z.object({ icons: namesSchema, aliases: namesSchema })

/**
 * Whether an icon (`i-lucide-book`) is in one of the named collections, which are installed for the application or the platform.
 */
export function hasIcon(name: string, collections: readonly string[], rootDir: string): boolean {
  const prefix = collections
    .toSorted((a, b) => b.length - a.length)
    .find(collection => name.startsWith(`i-${collection}-`))
  if (!prefix) return false
  const icons = iconsOf(prefix, rootDir)
  return icons.has(name.slice(`i-${prefix}-`.length))
}

function iconsOf(collection: string, rootDir: string): Set<string> {
  for (const place of [rootDir, platformDir]) {
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
