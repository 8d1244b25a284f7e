import { setResponseStatus } from 'h3'
import { pages } from '#fw/pages'
import { createTicket, ticketSchema } from '#fairway/server/domains/pages'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { readInput } from '#fairway/server/kernel/http/read-input'

export default defineMethods({
  async POST(event) {
    const session = await requireSession(event)
    const { path } = await readInput(event, ticketSchema)
    const ticket = await createTicket(getApp(event), { path, session, sessionId: session.id }, pages)
    setResponseStatus(event, 201)
    return ticket
  },
})
