import { getQuery } from 'h3'
import { addressInput, showAddressLink, submitAddressLink } from '#fairway/server/domains/sign-in'
import { getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { parseInput, readFormBody } from '#fairway/server/kernel/http/read-input'
import { languageOf } from '#fairway/server/kernel/messages'
import { sendAnswer } from '#fairway/server/kernel/server-page/send-answer'

/** The page behind the links of a change of address. Opening it has no effect; its button confirms. */
export default defineMethods({
  openIn: ['signed-out', 'setup'],
  async GET(event) {
    const { token } = getQuery(event)
    const language = languageOf(event.node.req.headers['accept-language'])
    return sendAnswer(event, await showAddressLink(getApp(event), String(token ?? ''), language))
  },
  async POST(event) {
    const { token } = parseInput(addressInput.confirm, await readFormBody(event))
    const language = languageOf(event.node.req.headers['accept-language'])
    return sendAnswer(event, await submitAddressLink(getApp(event), token, language, getRequestId(event)))
  },
})
