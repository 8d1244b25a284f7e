import { publicKeys } from '#server/domains/oauth-server'
import { getApp } from '#server/foundation/app-context'
import { defineMethods } from '#server/foundation/http/methods'

export default defineMethods({
  GET: event => publicKeys(getApp(event)),
})
