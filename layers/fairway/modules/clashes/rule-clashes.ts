import { isFixed, overlap, toPattern } from './path-pattern'
import type { TakenPath } from './taken-paths'

/** What a rule says about the paths that it matches. */
export type RouteRule = object

/** Rules by which something else answers: they come before every route. */
const ANSWERING = ['redirect', 'proxy', 'cache', 'swr', 'isr', 'static', 'prerender']

/**
 * Route rules that answer a path of the platform's, open it to other sites, or are about its places alone. Pages are left out: an
 * application may send visitors of a page elsewhere. `own` are the patterns that the application itself has rules for.
 */
export function ruleClashes(
  rules: Readonly<Record<string, RouteRule>>,
  taken: readonly TakenPath[],
  own: ReadonlySet<string>,
): string[] {
  return Object.entries(rules).flatMap(([path, rule]) => {
    const pattern = toPattern(path)
    const lost = taken.find(each => !each.isPage && overlap(each.pattern, pattern))
    const settings = lost ? settingsOf(rule, isFixed(pattern) && own.has(path)) : []
    return settings.map(
      setting =>
        `routeRules['${path}'].${setting}: it is applied to ${lost?.path}, which is the platform's. Name paths of the application alone`,
    )
  })
}

function settingsOf(rule: RouteRule, isAboutPlatform: boolean): string[] {
  const set = Object.entries(rule).filter(([, value]) => value !== undefined)
  if (isAboutPlatform) return set.map(([name]) => name)
  return set.flatMap(([name, value]) => {
    if (value === false) return []
    if (ANSWERING.includes(name)) return [name]
    const headers = name === 'headers' && typeof value === 'object' ? Object.keys(value ?? {}) : []
    return headers.filter(header => /^access-control-/i.test(header)).map(header => `headers['${header}']`)
  })
}
