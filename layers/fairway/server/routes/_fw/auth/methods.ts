import { setResponseHeader } from 'h3'
import { signInMethods } from '#fairway/server/domains/sign-in'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { sharedCacheHeader } from '#fairway/server/kernel/server-page/send-page'

/** The ways to sign in, for pages that offer them in place: the same answer for everybody, which caches may keep like a page. */
export default defineMethods({
  GET(event) {
    const app = getApp(event)
    setResponseHeader(event, 'cache-control', sharedCacheHeader(app.config))
    return signInMethods(app)
  },
})
