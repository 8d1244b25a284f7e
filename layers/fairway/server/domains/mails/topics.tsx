/** @jsxImportSource vue */
// The topics that a receiver can switch off, and the page for it; each such mail contains the link to the page (RFC 8058).
import { and, eq, inArray } from 'drizzle-orm'
import { z } from 'zod'
import { inboxTopicsOff } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { seal, unseal, UnsealError } from '#fairway/server/kernel/crypto/seal'
import { jsonOf } from '#fairway/server/kernel/declaration'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { declaredMails, requireMail } from '#fairway/server/kernel/mail/mail-content'
import { platformMails } from '#fairway/server/kernel/mail/platform-mails'
import { messagesOf } from '#fairway/server/kernel/messages'
import { cardPage, notePage } from '#fairway/server/kernel/server-page/note-page'
import type { BrowserAnswer } from '#fairway/server/kernel/server-page/send-answer'
import type { Language } from '#fairway/shared/languages'
import { MAIL_TOPICS_PATH } from '#fairway/shared/paths'
import { mailOptOuts } from './tables'

const PURPOSE = 'mail-topics'
const claimSchema = z.object({ email: z.string(), topic: z.string().nullable() })
type Claim = z.output<typeof claimSchema>

/** The hash that represents an address in the table. */
export const addressOf = (email: string): string => sha256(email.toLowerCase())

/**
 * Signs the token that lets the reader of a mail change the topics of its address. It never expires, because a mail can be old.
 */
const tokenOf = (app: App, claim: Claim): string => seal(app.config.keys, PURPOSE, JSON.stringify(claim), PURPOSE)

/** The address of the page for a receiver; a POST to it switches the topic off. */
export const topicsHref = (app: App, claim: Claim): string =>
  `${app.config.baseUrl}${MAIL_TOPICS_PATH}?token=${tokenOf(app, claim)}`

/** Throws `link-unknown` for a token that is not one of ours. */
function readToken(app: App, token: string): Claim {
  try {
    const text = unseal(app.config.keys, PURPOSE, token, PURPOSE)
    return claimSchema.parse(jsonOf(text))
  } catch (error) {
    if (error instanceof UnsealError || error instanceof z.ZodError) throw new AppError('link-unknown')
    throw error
  }
}

/** The topics of the application's mails and of the platform's optional ones. */
export function topicsOf(app: App): string[] {
  const mails = [
    ...Object.keys(platformMails).map(name => requireMail(app, name)),
    ...declaredMails(app).map(({ mail }) => mail),
  ]
  return [...new Set(mails.flatMap(({ topic }) => topic ?? []))].toSorted()
}

/** The topics that a receiver can switch off, with their names, and whether each is on. */
async function listTopics(app: App, email: string, language: Language) {
  const off = new Set(await switchedOff(app, email))
  return topicsOf(app).map(topic => ({ topic, name: nameOf(topic, language), isOn: !off.has(topic) }))
}

/** The same for an account, which also has an inbox. */
export async function listTopicsOf(app: App, { email, userId }: { email: string; userId: string }, language: Language) {
  const off = new Set(await inboxTopicsOff(app, userId))
  const topics = await listTopics(app, email, language)
  return topics.map(each => ({ ...each, isInInbox: !off.has(each.topic) }))
}

interface Visit {
  token: string
  language: Language
}

/** The page with all topics. Opening it changes nothing. */
export async function topicsPage(app: App, { token, language }: Visit): Promise<BrowserAnswer> {
  const { email } = readToken(app, token)
  const texts = messagesOf(language).mailTopics
  const topics = await listTopics(app, email, language)
  const form = (
    <form method="post">
      <input type="hidden" name="token" value={token} />
      <input type="hidden" name="asked" value="topics" />
      {topics.map(({ topic, name, isOn }) => (
        <label class="choice">
          <input type="checkbox" name={`topic:${topic}`} value="on" checked={isOn} />
          {name}
        </label>
      ))}
      <button>{texts.save}</button>
      <p class="foot">{texts.others}</p>
    </form>
  )
  return { page: await cardPage(app, { page: 'note', title: texts.title, lead: email, children: [form], language }) }
}

interface Change extends Visit {
  /** The topics that stay on; undefined for one-click unsubscribe, which switches off the topic of the mail. */
  on?: readonly string[]
}

/** Switches topics on and off and returns a confirmation page. */
export async function changeTopics(app: App, { token, on, language }: Change): Promise<BrowserAnswer> {
  const { email, topic } = readToken(app, token)
  const all = topicsOf(app)
  const off = on === undefined ? [topic].flatMap(each => each ?? []) : all.filter(each => !on.includes(each))
  const back = on === undefined ? [] : all.filter(each => on.includes(each))
  await switchTopics(app, email, { on: back, off })
  const texts = messagesOf(language).mailTopics
  const link = { href: topicsHref(app, { email, topic }), text: texts.back }
  return { page: await notePage(app, { title: texts.saved, lead: email, link, language }) }
}

/** Switches topics on and off for an address. */
export async function switchTopics(
  app: App,
  email: string,
  { on = [], off = [] }: { on?: readonly string[]; off?: readonly string[] },
): Promise<void> {
  const address = addressOf(email)
  await app.db.orm.transaction(async tx => {
    if (on.length > 0)
      await tx.delete(mailOptOuts).where(and(eq(mailOptOuts.address, address), inArray(mailOptOuts.topic, on)))
    if (off.length > 0)
      await tx
        .insert(mailOptOuts)
        .values(off.map(topic => ({ address, topic, at: app.now() })))
        .onConflictDoNothing()
  })
}

async function switchedOff(app: App, email: string): Promise<string[]> {
  const rows = await app.db.orm
    .select()
    .from(mailOptOuts)
    .where(eq(mailOptOuts.address, addressOf(email)))
  return rows.map(({ topic }) => topic)
}

/** The label of a topic: its text in the catalog, else its name. */
function nameOf(topic: string, language: Language): string {
  const names: Record<string, string | undefined> = messagesOf(language).mailTopics.names
  return names[topic] ?? topic.replaceAll('-', ' ')
}
