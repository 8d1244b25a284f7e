import { setResponseStatus } from 'h3'
import { addressInput, mailAddressLinksAgain } from '#fairway/server/domains/sign-in'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput } from '#fairway/server/kernel/http/read-input'
import { requestInfo } from '#fairway/server/kernel/http/request-info'
import { signedIn } from '#fairway/server/signed-in'

export default defineMethods({
  POST: signedIn(async ({ app, session, event }) => {
    const { language } = await readInput(event, addressInput.resend)
    const change = await mailAddressLinksAgain(app, session.userId, language, requestInfo(event))
    setResponseStatus(event, 202)
    return { change }
  }),
})
