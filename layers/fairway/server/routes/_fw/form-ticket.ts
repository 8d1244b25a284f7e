import { setResponseHeader } from 'h3'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { requestInfo } from '#fairway/server/kernel/http/request-info'
import { issueFormTicket } from '#fairway/server/kernel/limits/form-check'

/** The ticket of a public form. Pages are cached for everyone, so they cannot contain it. */
export default defineMethods({
  openIn: ['signed-out', 'setup', 'view'],
  async GET(event) {
    setResponseHeader(event, 'cache-control', 'no-store')
    return issueFormTicket(getApp(event), requestInfo(event).clientAddress)
  },
})
