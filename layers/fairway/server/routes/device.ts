import {
  atDevicePage,
  consentVisit,
  countRequest,
  decideConsent,
  offersDevices,
  sendPageAnswer,
  showDevice,
} from '#fairway/server/domains/oauth-server'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readFormBody } from '#fairway/server/kernel/http/read-input'
import { requestInfo } from '#fairway/server/kernel/http/request-info'

/** The page for the codes of devices without a browser; its consent form posts to its own address. */
export default defineMethods(
  {
    openIn: ['signed-out'],
    async GET(event) {
      await countRequest(getApp(event), 'authorize', requestInfo(event).clientAddress)
      return sendPageAnswer(event, await showDevice(getApp(event), await consentVisit(event)), 302)
    },

    async POST(event) {
      const form = await readFormBody(event)
      return sendPageAnswer(event, await decideConsent(getApp(event), atDevicePage(await consentVisit(event)), form))
    },
  },
  { isThere: event => offersDevices(getApp(event)) },
)
