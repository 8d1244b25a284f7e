import { getRouterParam, type H3Event, sendRedirect, setResponseHeader } from 'h3'
import { catalog } from '#fw/actions'
import { decideApproval, showApproval } from '#fairway/server/domains/agents'
import { getSession } from '#fairway/server/domains/sessions'
import { getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readFormBody } from '#fairway/server/kernel/http/read-input'
import { requestLanguage } from '#fairway/server/kernel/messages'
import { sendPersonalPage } from '#fairway/server/kernel/server-page/send-page'

const actions = new Map(catalog.map(({ name, action }) => [name, action]))

/** The page where a person denies or approves a call on their behalf; it posts to its own address. */
export default defineMethods({
  openIn: ['signed-out'],
  async GET(event) {
    return send(event, await showApproval(getApp(event), await visitOf(event)))
  },

  async POST(event) {
    const form = await readFormBody(event)
    return send(event, await decideApproval(getApp(event), { ...(await visitOf(event)), form }))
  },
})

const visitOf = async (event: H3Event) => ({
  id: getRouterParam(event, 'id') ?? '',
  session: await getSession(event),
  language: requestLanguage(event),
  actions,
  requestId: getRequestId(event),
})

function send(event: H3Event, answer: Awaited<ReturnType<typeof decideApproval>>) {
  if ('page' in answer) return sendPersonalPage(event, answer.page, { status: answer.status, headers: {} })
  setResponseHeader(event, 'cache-control', 'no-store')
  return sendRedirect(event, answer.location, 303)
}
