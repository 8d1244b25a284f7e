import { publicKeys } from '#fairway/server/domains/oauth-server'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'

export default defineMethods({
  openIn: ['signed-out', 'setup', 'view'],
  GET: event => publicKeys(getApp(event)),
})
