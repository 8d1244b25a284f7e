import { setResponseStatus } from 'h3'
import { audited } from '#fairway/server/domains/actions'
import { addPasskey, passkeyInput, startPasskeyRegistration } from '#fairway/server/domains/sign-in'
import { requireRecentSignIn } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput } from '#fairway/server/kernel/http/read-input'
import { sendAnswer } from '#fairway/server/kernel/server-page/send-answer'

export default defineMethods({
  async POST(event) {
    const session = await requireRecentSignIn(event)
    const { options, setCookie } = await startPasskeyRegistration(getApp(event), session, event.node.req.headers.cookie)
    return sendAnswer(event, { body: options, setCookies: [setCookie] })
  },
  PUT: audited('add-passkey', async event => {
    const session = await requireRecentSignIn(event)
    const input = await readInput(event, passkeyInput.registration)
    const { cookie: cookieHeader } = event.node.req.headers
    const passkey = await addPasskey(getApp(event), session, input, { cookieHeader, sessionId: session.id })
    setResponseStatus(event, 201)
    return { passkey }
  }),
})
