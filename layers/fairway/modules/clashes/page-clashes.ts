import { type PagePath, withChildren } from '../registry/path-clashes'
import { isHouse } from '../registry/roots'
import { isFixed, overlap, toPattern } from './path-pattern'
import type { TakenPath } from './taken-paths'

/** Places of the server in which no page is ever shown. */
const PAGELESS = ['/api/**', '/.well-known/**'].map(path => ({ path, pattern: toPattern(path), owner: 'the server' }))

/**
 * Pages that nobody would see: at a path that the server answers, or at the path of a page of the platform's without replacing it.
 * Pages for whatever comes (`[...slug].vue`) are none of them: the server's own paths and the platform's pages come first.
 */
export function pageClashes(pages: readonly PagePath[], taken: readonly TakenPath[]): string[] {
  const all = withChildren(pages)
  const served = [...taken.filter(each => !each.isPage && !each.owner.includes('/server/mounted/')), ...PAGELESS]
  return all.flatMap(({ path, file = '' }) => {
    // Nuxt makes a page of its own of each route rule that redirects.
    if (file === '' || isHouse(file) || file.includes('/node_modules/nuxt/')) return []
    const pattern = toPattern(path)
    const lost = isFixed(pattern) ? served.find(each => overlap(each.pattern, pattern)) : undefined
    if (lost) return [`${file}: nobody sees it, because ${lost.path} is of ${lost.owner}. Give it another name`]
    const twin = all.find(each => each.path === path && each.file !== undefined && isHouse(each.file))
    if (!twin) return []
    const place = String(twin.file).slice(String(twin.file).indexOf('/app/pages/') + 1)
    return [`${file}: ${twin.file} is at ${path} already. To replace that page, name it ${place}`]
  })
}
