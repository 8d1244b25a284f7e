import { setResponseStatus } from 'h3'
import { countRequest, registerClient } from '#fairway/server/domains/oauth-server'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { checkInput, readJsonBody } from '#fairway/server/kernel/http/read-input'
import { requestInfo } from '#fairway/server/kernel/http/request-info'

export default defineMethods({
  openIn: ['signed-out', 'setup'],
  async POST(event) {
    const app = getApp(event)
    const { clientAddress } = requestInfo(event)
    await countRequest(app, 'register', clientAddress)
    const registration = await registerClient(app, checkInput(await readJsonBody(event)), clientAddress)
    setResponseStatus(event, 201)
    return registration
  },
})
