import { setResponseHeader } from 'h3'
import { signInMethods } from '#fairway/server/domains/sign-in'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { sharedCacheHeader } from '#fairway/server/kernel/server-page/send-page'

/**
 * The sign-in methods, for pages that offer them in place. The response is the same for everyone, so caches may keep it like a
 * page.
 */
export default defineMethods({
  openIn: ['signed-out', 'setup', 'view'],
  GET(event) {
    const app = getApp(event)
    setResponseHeader(event, 'cache-control', sharedCacheHeader(app.config))
    return signInMethods(app)
  },
})
