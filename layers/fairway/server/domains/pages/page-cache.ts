import { LRUCache } from 'lru-cache'
import type { App } from '#fairway/server/kernel/app-context'
import type { RenderedPage } from './rendered-page'

const MOST_PAGES = 500

/** The rendered pages of this app in memory, by their keys; the least recently used leave first. */
export const getPageCache = (app: App): LRUCache<string, RenderedPage> =>
  app.memo('page-cache', () => new LRUCache<string, RenderedPage>({ max: MOST_PAGES }))
