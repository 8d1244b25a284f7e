import type { Config } from '../config/config'

/** The `Cache-Control` of application pages: browsers ask again each time, shared caches may keep the page for the configured time. */
export function sharedCacheHeader(config: Pick<Config, 'shellCacheInSeconds'>): string {
  const seconds = config.shellCacheInSeconds
  if (seconds === null) return 'no-store'
  return `public, max-age=0, s-maxage=${seconds}, stale-while-revalidate=604800, stale-if-error=3600`
}
