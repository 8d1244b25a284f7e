import { answerTokenRequest, countRequest } from '#fairway/server/domains/oauth-server'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readFormBody } from '#fairway/server/kernel/http/read-input'
import { requestInfo } from '#fairway/server/kernel/http/request-info'

export default defineMethods({
  async POST(event) {
    const app = getApp(event)
    await countRequest(app, 'token', requestInfo(event).clientAddress)
    const form = await readFormBody(event)
    return answerTokenRequest(app, { form, authorization: event.node.req.headers.authorization })
  },
})
