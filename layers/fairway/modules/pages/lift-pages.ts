import { isHouse } from '../registry/roots'
import type { PageFile } from './compile-pages'

/**
 * Takes an application's pages out of the platform's: `pages/settings/billing.vue` would be shown inside the page `/settings`, which
 * has no place for it, so it is a page of its own at that path. Changes the list.
 */
export function liftPages(pages: PageFile[]): void {
  for (const page of pages) {
    const { children = [], file = '' } = page
    if (!isHouse(file) || children.length === 0) continue
    pages.push(...children.map(child => ({ ...child, path: `${page.path}/${child.path}`.replace(/\/+$/, '') })))
    page.children = []
  }
}
