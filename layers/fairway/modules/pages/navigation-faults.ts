import { z } from 'zod'
import { ORG_ROLES } from '../../shared/roles'
import type { PageFile } from './compile-pages'

const navigationSchema = z.strictObject({
  text: z.string().min(1),
  icon: z.string().regex(/^i-[a-z0-9]+(-[a-z0-9]+)+$/, 'must be the name of an icon, for example i-lucide-book'),
  order: z.number().optional(),
  sidebar: z.boolean().optional(),
  roles: z.array(z.enum(ORG_ROLES)).min(1).optional(),
})

/** What a navigation entry is checked against. */
export interface NavigationGround {
  /** Whether the texts that come with the frame have this key. */
  hasText(key: string): boolean
  /** Whether an icon comes with the build. */
  hasIcon(name: string): boolean
}

/** What is wrong with the entries that pages declare for themselves (`definePageMeta({ navigation })`): the file, and what to do. */
export function navigationFaults(pages: readonly PageFile[], ground: NavigationGround, parent = ''): string[] {
  return pages.flatMap(page => {
    const path = page.path.startsWith('/') ? page.path : `${parent}/${page.path}`
    const own = faultsOf(path, page.meta ?? {}, ground).map(fault => `${page.file ?? path}: ${fault}`)
    return [...own, ...navigationFaults(page.children ?? [], ground, path)]
  })
}

function faultsOf(path: string, meta: Record<string, unknown>, ground: NavigationGround): string[] {
  if (meta.navigation === undefined) return []
  const read = navigationSchema.safeParse(meta.navigation)
  if (!read.success)
    return read.error.issues.map(({ path: at, message }) => `${['navigation', ...at].join('.')}: ${message}`)
  const { text, icon } = read.data
  const faults: string[] = []
  if (path.includes(':'))
    faults.push(`its address ${path} has a parameter, so no entry can lead there; give the entry to a page without one`)
  if (meta.embed === true) faults.push('it is shown inside other sites, which have no navigation; take the entry away')
  if (!ground.hasText(text))
    faults.push(
      `no catalog has the text ${text}; add it to app/locales/en.json, in a group of your own or in one of the frame`,
    )
  if (!ground.hasIcon(icon))
    faults.push(
      `there is no icon ${icon}; lucide.dev/icons has their names, and other collections are named in icon.collections of nuxt.config.ts`,
    )
  return faults
}
