/** @jsxImportSource vue */
// Development previews of the mails of the application and of the platform.
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { contentOf, declaredMails, exampleOf, requireMail } from '#fairway/server/kernel/mail/mail-content'
import { platformMails } from '#fairway/server/kernel/mail/platform-mails'
import { queueMail } from '#fairway/server/kernel/mail/queue-mail'
import { renderMail } from '#fairway/server/kernel/mail/render-mail'
import { messagesOf, offered } from '#fairway/server/kernel/messages'
import { cardPage } from '#fairway/server/kernel/server-page/note-page'
import type { ServerPage } from '#fairway/server/kernel/server-page/render-page'
import type { Language } from '#fairway/shared/languages'
import { MAIL_PREVIEW_PATH, OUTBOX_PATH } from '#fairway/shared/paths'
import { topicsHref } from './topics'

interface Visit {
  /** The name of the mail to show; without it the page lists all mails. */
  mail?: string
  mailLanguage?: Language
  /** Shows only the HTML of the mail. */
  asHtml: boolean
  language: Language
}

const EXAMPLE_RECEIVER = 'ada@example.com'

const namesOf = (app: App): string[] => [
  ...new Set([
    ...declaredMails(app)
      .map(({ name }) => name)
      .toSorted(),
    ...Object.keys(platformMails),
  ]),
]

const addressOf = (mail: string, language: Language, part = ''): string =>
  `${MAIL_PREVIEW_PATH}?mail=${mail}&in=${language}${part}`

/** The page with all mails, or with one of them and its example data. Throws `not-found` for an unknown mail. */
export async function previewPage(app: App, visit: Visit): Promise<ServerPage> {
  const { mail, mailLanguage, asHtml, language } = visit
  if (mail === undefined) return listPage(app, language)
  const content = await exampleContent(app, mail, mailLanguage ?? language)
  const { subject, text, html } = await renderMail(content, app.config)
  if (asHtml)
    return {
      html,
      etag: `"${mail}"`,
      policy: `default-src 'none'; style-src 'unsafe-inline'; img-src 'self' https:; base-uri 'none'; frame-ancestors 'self'`,
    }
  const texts = messagesOf(language).outbox
  const shown = content.language ?? 'en'
  const others = offered.languages.map(({ code, name }) =>
    code === shown ? <strong>{name}</strong> : <a href={addressOf(mail, code)}>{name}</a>,
  )
  return cardPage(app, {
    page: 'outbox',
    title: subject,
    lead: requireMail(app, mail).description,
    children: [
      <p class="foot links">{others}</p>,
      ...text.split(/\n+/).map(line => (
        <p class="mail" dir="auto">
          {line}
        </p>
      )),
      <form method="post" action={addressOf(mail, shown)}>
        <label>
          {texts.address}
          <input type="email" name="to" required />
        </label>
        <button>{texts.send}</button>
      </form>,
      <p class="foot links">
        <a href={MAIL_PREVIEW_PATH}>{texts.back}</a>
        <a href={addressOf(mail, shown, '&part=html')}>{texts.html}</a>
      </p>,
    ],
    language,
  })
}

function listPage(app: App, language: Language): Promise<ServerPage> {
  const texts = messagesOf(language).outbox
  const list = (
    <dl>
      {namesOf(app).flatMap(name => [
        <dt>
          <a href={addressOf(name, language)}>{name}</a>
        </dt>,
        <dd dir="auto">{requireMail(app, name).description}</dd>,
      ])}
    </dl>
  )
  const foot = (
    <p class="foot">
      <a href={OUTBOX_PATH}>{texts.title}</a>
    </p>
  )
  return cardPage(app, {
    page: 'outbox',
    title: texts.previews,
    lead: texts.previewsLead,
    children: [list, foot],
    language,
  })
}

async function exampleContent(app: App, name: string, language: Language) {
  if (!namesOf(app).includes(name)) throw new AppError('not-found')
  const mail = requireMail(app, name)
  const content = contentOf(app, name, await exampleOf(app, mail), language)
  const { topic } = mail
  if (topic === undefined) return content
  const label = messagesOf(content.language ?? 'en').mailTopics.link
  return { ...content, unsubscribe: { label, href: topicsHref(app, { email: EXAMPLE_RECEIVER, topic }) } }
}

/** Sends the example of a mail to an address. In development the mail appears in the outbox unless a mail server is set. */
export async function sendExample(app: App, { mail, to, language }: { mail: string; to: string; language: Language }) {
  await queueMail(app, to, await exampleContent(app, mail, language))
}
