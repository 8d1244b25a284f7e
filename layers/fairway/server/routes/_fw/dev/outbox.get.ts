import { getQuery } from 'h3'
import { getApp } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { defineRoute } from '#fairway/server/kernel/http/methods'
import { ownMachineFault } from '#fairway/server/kernel/http/own-machine'
import { requestLanguage } from '#fairway/server/kernel/messages'
import { sendPersonalPage } from '#fairway/server/kernel/server-page/send-page'
import { outboxPage } from '../../../kernel/mail/outbox-page'

/** The mails of a development server, only for this machine: a reader could sign in with them. */
export default defineRoute(['signed-out', 'setup'], async event => {
  const { mail, part } = getQuery(event)
  const { req: request } = event.node
  const language = requestLanguage(event)
  const app = getApp(event)
  const isRefused = ownMachineFault(request, app.config) !== undefined
  const page = isRefused ? undefined : await outboxPage(app, { mail, asHtml: part === 'html', language })
  if (!page) throw new AppError('not-found')
  return sendPersonalPage(event, page)
})
