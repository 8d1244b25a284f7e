import { setResponseHeaders } from 'h3'
import { pages } from '#fw/pages'
import { robotsText } from '#fairway/server/domains/pages'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'

/** Allows crawlers to read public pages. An application's own public/robots.txt replaces it. */
export default defineMethods({
  openIn: ['signed-out', 'setup', 'view'],
  GET(event) {
    setResponseHeaders(event, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'public, max-age=3600' })
    return robotsText(pages, getApp(event).config.baseUrl)
  },
})
