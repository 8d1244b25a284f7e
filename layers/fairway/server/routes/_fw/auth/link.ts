import { appendResponseHeader, getQuery, sendRedirect, type H3Event } from 'h3'
import { type ConfirmedLink, confirmLinkPage, confirmLinkSchema, linkPage } from '#fairway/server/domains/sign-in'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { parseInput, readFormBody } from '#fairway/server/kernel/http/read-input'
import { languageOf } from '#fairway/server/kernel/messages'
import { requestInfo } from '#fairway/server/kernel/http/request-info'
import { sendPersonalPage } from '#fairway/server/kernel/server-page/send-page'

/** The page behind a mailed link: looking at it changes nothing, its button does. */
export default defineMethods({
  async GET(event) {
    const { token, lang } = getQuery(event)
    const { page, error } = await linkPage(getApp(event), String(token ?? ''), requestInfo(event), languageOf(lang))
    return sendPersonalPage(event, page, error)
  },

  async POST(event) {
    const form = await readFormBody(event)
    const input = parseInput(confirmLinkSchema, form)
    const { confirmed, page, error } = await confirmLinkPage(getApp(event), input, requestInfo(event))
    if (confirmed) setCookies(event, confirmed)
    if (confirmed?.location) return sendRedirect(event, confirmed.location, 303)
    return sendPersonalPage(event, page, error)
  },
})

function setCookies(event: H3Event, { setCookies: cookies }: ConfirmedLink): void {
  for (const cookie of cookies) appendResponseHeader(event, 'set-cookie', cookie)
}
