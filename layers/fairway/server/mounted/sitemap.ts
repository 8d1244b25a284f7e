import { setResponseHeaders } from 'h3'
import { pages, publicLanguages } from '#fw/pages'
import { sitemapText } from '#fairway/server/domains/pages'
import { getApp } from '#fairway/server/kernel/app-context'
import { authorDb } from '#fairway/server/kernel/database/author-database'
import { sitemapEntries } from '#fairway/server/kernel/config/public-pages'
import { defineMethods } from '#fairway/server/kernel/http/methods'

/** Lists every public page for search engines, with the entries of `publicPages.sitemap` in fw.config.ts. */
export default defineMethods({
  openIn: ['signed-out', 'setup', 'view'],
  async GET(event) {
    const app = getApp(event)
    const { config, now, log } = app
    const entries = await sitemapEntries(config.publicPages.sitemap, { db: authorDb(app), now })
    const onUnknown = (path: string) => log.warn('the sitemap leaves out what is no public page', { path })
    setResponseHeaders(event, {
      'content-type': 'application/xml; charset=utf-8',
      'cache-control': 'public, max-age=3600',
    })
    return sitemapText({ pages, languages: publicLanguages, baseUrl: config.baseUrl, entries, onUnknown })
  },
})
