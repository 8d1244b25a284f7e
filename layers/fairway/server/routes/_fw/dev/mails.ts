import { getQuery, type H3Event, sendRedirect } from 'h3'
import { z } from 'zod'
import { previewPage, sendExample } from '#fairway/server/domains/mails'
import { type App, getApp } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { ownMachineFault } from '#fairway/server/kernel/http/own-machine'
import { parseInput, readFormBody } from '#fairway/server/kernel/http/read-input'
import { languageOf, requestLanguage } from '#fairway/server/kernel/messages'
import { sendPersonalPage } from '#fairway/server/kernel/server-page/send-page'
import { emailSchema } from '#fairway/shared/schemas/email'
import { OUTBOX_PATH } from '#fairway/shared/paths'

const sendSchema = z.object({ to: emailSchema })

/** Previews of a development server's mails, only for this machine. */
export default defineMethods({
  openIn: ['signed-out', 'setup'],
  async GET(event) {
    const app = requireDevelopment(event)
    const { mail, in: wanted, part } = getQuery(event)
    const language = requestLanguage(event)
    const visit = { mail: textOf(mail), mailLanguage: languageOf(wanted, language), asHtml: part === 'html', language }
    return sendPersonalPage(event, await previewPage(app, visit))
  },
  async POST(event) {
    const app = requireDevelopment(event)
    const { mail, in: wanted } = getQuery(event)
    const { to } = parseInput(sendSchema, await readFormBody(event))
    await sendExample(app, { mail: textOf(mail) ?? '', to, language: languageOf(wanted) })
    return sendRedirect(event, OUTBOX_PATH, 303)
  },
})

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

function requireDevelopment(event: H3Event): App {
  const app = getApp(event)
  if (app.config.environment !== 'development' || ownMachineFault(event.node.req, app.config) !== undefined)
    throw new AppError('not-found')
  return app
}
