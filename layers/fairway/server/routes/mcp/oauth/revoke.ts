import { setResponseStatus } from 'h3'
import { countRequest, revokeToken } from '#fairway/server/domains/oauth-server'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readFormBody } from '#fairway/server/kernel/http/read-input'
import { requestInfo } from '#fairway/server/kernel/http/request-info'

export default defineMethods({
  async POST(event) {
    const app = getApp(event)
    await countRequest(app, 'revoke', requestInfo(event).clientAddress)
    const form = await readFormBody(event)
    await revokeToken(app, { form, authorization: event.node.req.headers.authorization })
    setResponseStatus(event, 200)
    return {}
  },
})
