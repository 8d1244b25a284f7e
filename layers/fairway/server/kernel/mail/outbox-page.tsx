/** @jsxImportSource vue */
import type { App } from '#fairway/server/kernel/app-context'
import { fill, messagesOf } from '#fairway/server/kernel/messages'
import { findInOutbox, listOutbox, type WrittenMail } from '#fairway/server/kernel/mail/mailer'
import { cardPage } from '#fairway/server/kernel/server-page/note-page'
import type { ServerPage } from '#fairway/server/kernel/server-page/render-page'
import { formatTime, type Language } from '#fairway/shared/languages'
import { MAIL_PREVIEW_PATH, OUTBOX_PATH, SIGN_IN_PATH } from '#fairway/shared/paths'

interface Visit {
  /** The ID of the requested mail; all mails when not given. */
  mail?: unknown
  /** Shows its HTML as it was written. */
  asHtml: boolean
  language: Language
}

/**
 * Returns the page of a development server's mails, or of one of them; undefined where the outbox is not shown or the mail is
 * unknown.
 */
export async function outboxPage(app: App, { mail: id, asHtml, language }: Visit): Promise<ServerPage | undefined> {
  const { outbox, showsOutbox } = app.config.mail
  if (!outbox || !showsOutbox) return undefined
  if (id === undefined) return listPage(app, await listOutbox(outbox), language)
  const mail = await findInOutbox(outbox, id)
  return mail && (asHtml ? htmlOf(mail) : mailPage(app, mail, language))
}

function listPage(app: App, mails: WrittenMail[], language: Language): Promise<ServerPage> {
  const { title, lead, empty, signIn, previews, to } = messagesOf(language).outbox
  const list = (
    <dl>
      {mails.flatMap(mail => [
        <dt>{`${timeOf(mail, language)} · ${fill(to, { address: mail.to })}`}</dt>,
        <dd>
          <a href={addressOf(mail)} dir="auto">
            {mail.subject}
          </a>
        </dd>,
      ])}
    </dl>
  )
  const foot = (
    <p class="foot links">
      <a href={SIGN_IN_PATH}>{signIn}</a>
      <a href={MAIL_PREVIEW_PATH}>{previews}</a>
    </p>
  )
  return cardPage(app, {
    page: 'outbox',
    title,
    lead,
    children: [mails.length > 0 ? list : <p>{empty}</p>, foot],
    language,
  })
}

function mailPage(app: App, mail: WrittenMail, language: Language): Promise<ServerPage> {
  const { to, html, back, attached } = messagesOf(language).outbox
  const lead = `${timeOf(mail, language)} · ${fill(to, { address: mail.to })}`
  const foot = (
    <p class="foot links">
      <a href={OUTBOX_PATH}>{back}</a>
      {mail.html ? <a href={`${addressOf(mail)}&part=html`}>{html}</a> : null}
    </p>
  )
  return cardPage(app, {
    page: 'outbox',
    title: mail.subject,
    lead,
    children: [...mail.text.split(/\n+/).map(toLine), ...filesOf(mail, attached), foot],
    language,
  })
}

const filesOf = ({ attachments = [] }: WrittenMail, label: string) =>
  attachments.length === 0
    ? []
    : [
        <p class="mail">{label}</p>,
        <ul>
          {attachments.map(({ name, type = 'application/octet-stream', content = '' }) => (
            <li>
              <a href={`data:${type};base64,${content}`} download={name} dir="auto">
                {name}
              </a>
            </li>
          ))}
        </ul>,
      ]

// Our mails have their link on a separate line.
const toLine = (line: string) => (
  <p class="mail" dir="auto">
    {/^https?:\/\/\S+$/.test(line) ? <a href={line}>{line}</a> : line}
  </p>
)

const addressOf = ({ id }: WrittenMail): string => `${OUTBOX_PATH}?mail=${id}`

const timeOf = ({ writtenAt }: WrittenMail, language: Language): string => formatTime(writtenAt, language, 'short')

/** The mail's own page, with only its inline styles, like a mail program that blocks the rest. */
const htmlOf = ({ id, html = '' }: WrittenMail): ServerPage => ({
  html,
  etag: `"${id}"`,
  policy: `default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'`,
})
