import { setResponseHeader } from 'h3'
import { authorizationServerMetadata, METADATA_CACHING } from '#server/domains/oauth-server'
import { getApp } from '#server/foundation/app-context'
import { defineMethods } from '#server/foundation/http/methods'

export default defineMethods({
  GET(event) {
    setResponseHeader(event, 'cache-control', METADATA_CACHING)
    return authorizationServerMetadata(getApp(event))
  },
})
