import { setResponseHeader } from 'h3'
import { publicClientKeys } from '#fairway/server/domains/oauth-client'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'

/** Our public keys, with which the OpenID providers of organizations verify this application (`private_key_jwt`). */
export default defineMethods({
  openIn: ['signed-out', 'setup', 'view'],
  GET(event) {
    setResponseHeader(event, 'cache-control', 'public, max-age=3600')
    return publicClientKeys(getApp(event))
  },
})
