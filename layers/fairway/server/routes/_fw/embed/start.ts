import { bodyLimits } from '#fairway/server/kernel/limits/limits'
import { getQuery, type H3Event, sendRedirect, setResponseHeader } from 'h3'
import { embedRefusedPage, embedStartPage, openTicket } from '#fairway/server/domains/pages'
import { getApp } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { isNavigation } from '#fairway/server/kernel/http/request-info'
import { readFormBody } from '#fairway/server/kernel/http/read-input'
import { sendFramedPage } from '#fairway/server/kernel/server-page/send-page'

/** The entry point of a frame in another site. A person's navigation uses up the ticket; a scanner's request does not. */
export default defineMethods({
  openIn: ['signed-out', 'setup'],
  async GET(event) {
    const { ticket } = getQuery(event)
    const ticketText = typeof ticket === 'string' ? ticket : ''
    if (isNavigation(event.node.req)) return open(event, ticketText)
    return sendFramedPage(
      event,
      await embedStartPage(getApp(event), ticketText, event.node.req.headers['accept-language']),
    )
  },
  POST: async event => open(event, (await readFormBody(event, { maxBytes: bodyLimits.choice })).ticket ?? ''),
})

async function open(event: H3Event, ticket: string) {
  const app = getApp(event)
  setResponseHeader(event, 'referrer-policy', 'no-referrer')
  try {
    const { path, token } = await openTicket(app, ticket)
    // The fragment stays in the browser: servers, logs and referrers do not contain it.
    return await sendRedirect(event, `${path}#embed_token=${token}`, 303)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'embed-ticket-ended') throw error
    return sendFramedPage(event, await embedRefusedPage(app, event.node.req.headers['accept-language']), error.status)
  }
}
