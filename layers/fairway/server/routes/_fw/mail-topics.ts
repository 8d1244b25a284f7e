import { getQuery, type H3Event } from 'h3'
import { z } from 'zod'
import { changeTopics, topicsHref, topicsPage } from '#fairway/server/domains/mails'
import { requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { parseInput, readFormBody } from '#fairway/server/kernel/http/read-input'
import { requestLanguage } from '#fairway/server/kernel/messages'
import { sendAnswer } from '#fairway/server/kernel/server-page/send-answer'

/** Our own page sends the topics that stay on (`topic:<name>`); a mail program's button sends none (RFC 8058). */
const changeSchema = z.looseObject({ token: z.string().optional(), asked: z.literal('topics').optional() })
const TOPIC = 'topic:'

/** The mails that a receiver can switch off, through the link in one of them or signed in. Opening the page has no effect. */
export default defineMethods({
  openIn: ['signed-out', 'setup'],
  async GET(event) {
    const token = await tokenFor(event)
    return sendAnswer(event, await topicsPage(getApp(event), { token, language: requestLanguage(event) }))
  },
  async POST(event) {
    const { token = String(getQuery(event).token ?? ''), asked: isAskedFor, ...fields } = await readChange(event)
    const on = Object.keys(fields).flatMap(name => (name.startsWith(TOPIC) ? name.slice(TOPIC.length) : []))
    const change = { token, on: isAskedFor && on, language: requestLanguage(event) }
    return sendAnswer(event, await changeTopics(getApp(event), change))
  },
})

// The button's body may be multipart and adds no information to the address.
async function readChange(event: H3Event): Promise<z.output<typeof changeSchema>> {
  const isMultipart = event.node.req.headers['content-type']?.startsWith('multipart/form-data') === true
  return isMultipart ? {} : parseInput(changeSchema, await readFormBody(event))
}

async function tokenFor(event: H3Event): Promise<string> {
  const { token } = getQuery(event)
  if (token !== undefined) return String(token)
  const { email } = await requireSession(event)
  return new URL(topicsHref(getApp(event), { email, topic: null })).searchParams.get('token') ?? ''
}
