import { type H3Event, sendRedirect, setResponseHeader } from 'h3'
import type { ServerPage } from '#fairway/server/kernel/server-page/render-page'
import { sendPersonalPage } from '#fairway/server/kernel/server-page/send-page'

/** Where a visit of one of this server's pages comes from. */
export interface Visit {
  clientAddress: string
  requestId: string
}

/** What a visit is answered with: a page, or an address that the browser goes to. */
export type PageAnswer = { page: ServerPage; status: number } | { location: string }

/** Sends a page for this visitor alone, or the redirect (303, or 302 after a GET of OAuth); neither is kept by a cache. */
export function sendPageAnswer(event: H3Event, answer: PageAnswer, redirectStatus: 302 | 303 = 303) {
  if ('page' in answer) return sendPersonalPage(event, answer.page, { status: answer.status, headers: {} })
  setResponseHeader(event, 'cache-control', 'no-store')
  return sendRedirect(event, answer.location, redirectStatus)
}
