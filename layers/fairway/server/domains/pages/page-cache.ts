import type { App } from '#fairway/server/kernel/app-context'
import type { RenderedPage } from './rendered-page'

const MOST_PAGES = 500

export interface PageCache {
  get(key: string): RenderedPage | undefined
  set(key: string, page: RenderedPage): void
}

/** The rendered pages of this app in memory, the least lately added leave first. */
export const getPageCache = (app: App): PageCache =>
  app.memo('page-cache', () => {
    const pages = new Map<string, RenderedPage>()
    return {
      get: key => pages.get(key),
      set(key, page) {
        const oldest = pages.size >= MOST_PAGES ? pages.keys().next().value : undefined
        if (oldest !== undefined) pages.delete(oldest)
        pages.set(key, page)
      },
    }
  })
