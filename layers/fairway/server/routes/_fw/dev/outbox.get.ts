import { defineEventHandler, getQuery } from 'h3'
import { outboxPage } from '#fairway/server/domains/mail'
import { getApp } from '#fairway/server/foundation/app-context'
import { AppError } from '#fairway/server/foundation/http/app-error'
import { isLoopbackPeer } from '#fairway/server/foundation/http/client-address'
import { preferredLanguage } from '#fairway/server/foundation/server-page/render-page'
import { sendPersonalPage } from '#fairway/server/foundation/server-page/send-page'

/** The mails of a development server, for this machine alone: whoever reads them can sign in. */
export default defineEventHandler(async event => {
  const { mail, part } = getQuery(event)
  const { req: request } = event.node
  const language = preferredLanguage(request.headers['accept-language'])
  const page = isLoopbackPeer(request)
    ? await outboxPage(getApp(event), { mail, asHtml: part === 'html', language })
    : undefined
  if (!page) throw new AppError('not-found')
  return sendPersonalPage(event, page)
})
