import { askForDevice, countRequest, offersDevices } from '#fairway/server/domains/oauth-server'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readFormBody } from '#fairway/server/kernel/http/read-input'
import { requestInfo } from '#fairway/server/kernel/http/request-info'

export default defineMethods(
  {
    openIn: ['signed-out', 'setup'],
    async POST(event) {
      const app = getApp(event)
      const { clientAddress } = requestInfo(event)
      await countRequest(app, 'device', clientAddress)
      const form = await readFormBody(event)
      return askForDevice(app, { form, authorization: event.node.req.headers.authorization }, clientAddress)
    },
  },
  { isThere: event => offersDevices(getApp(event)) },
)
