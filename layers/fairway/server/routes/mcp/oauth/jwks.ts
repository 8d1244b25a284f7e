import { publicKeys } from '#fairway/server/domains/oauth-server'
import { getApp } from '#fairway/server/foundation/app-context'
import { defineMethods } from '#fairway/server/foundation/http/methods'

export default defineMethods({
  GET: event => publicKeys(getApp(event)),
})
