import { setResponseStatus } from 'h3'
import { countRequest, revokeToken } from '#fairway/server/domains/oauth-server'
import { getApp } from '#fairway/server/kernel/app-context'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readFormBody } from '#fairway/server/kernel/http/read-input'
import { requestInfo } from '#fairway/server/kernel/http/request-info'

export default defineMethods({
  openIn: ['signed-out', 'setup'],
  async POST(event) {
    const app = getApp(event)
    const { clientAddress } = requestInfo(event)
    await countRequest(app, 'revoke', clientAddress)
    const form = await readFormBody(event)
    const { authorization } = event.node.req.headers
    await revokeToken(app, { form, authorization, network: addressKey(clientAddress) })
    setResponseStatus(event, 200)
    return {}
  },
})
