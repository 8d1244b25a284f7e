/** @jsxImportSource vue */
import { createSSRApp, type VNodeChild } from 'vue'
import { renderToString } from 'vue/server-renderer'
import { htmlAttributes, languages } from '#fairway/server/kernel/messages'
import type { Language } from '#fairway/shared/languages'
import type { Config } from '../config/config'

/** The content of a mail; the HTML and the text part are both made from it. */
export interface MailContent {
  /** The mail's name, for operators. */
  name: string
  /** English when not given. */
  language?: Language
  subject: string
  /** Paragraphs before the button. */
  lines: string[]
  /** The content between them and the button. */
  body?: VNodeChild
  action?: { label: string; href: string }
  /** The code below the button, with the place where it is entered. */
  code?: { label: string; value: string }
  /** Paragraphs after it: how long it is valid, and the next step for a mail that was not expected. */
  notes: string[]
  /** The address for unsubscribing (RFC 8058: it accepts a POST). */
  unsubscribe?: { label: string; href: string }
}

type MailConfig = Pick<Config, 'brand' | 'baseUrl'>

/** Returns the text and the HTML of a mail; everything that people wrote is escaped and kept on one line. */
export async function renderMail(content: MailContent, config: MailConfig) {
  const {
    language,
    subject,
    lines,
    body: paragraphs,
    action,
    code,
    notes,
    unsubscribe,
  } = {
    ...content,
    language: content.language ?? 'en',
    subject: oneLine(content.subject),
    lines: content.lines.map(oneLine),
    notes: content.notes.map(oneLine),
  }
  // Many mail programs drop the document's own element.
  const direction = directionOf(language)
  const ownHtml = paragraphs === undefined ? '' : await htmlOf(paragraphs)
  const text = [
    ...lines,
    ...(ownHtml ? [await textOf(ownHtml)] : []),
    ...(action ? [`${action.label}:\n${action.href}`] : []),
    ...(code ? [`${code.label}:\n${code.value}`] : []),
    ...notes,
    `-- \n${config.brand.name}`,
    ...(unsubscribe ? [`${unsubscribe.label}:\n${unsubscribe.href}`] : []),
  ]
  const body = await htmlOf(<Layout {...{ direction, lines, ownHtml, action, code, notes, unsubscribe, config }} />)
  return {
    subject,
    text: `${text.join('\n\n')}\n`,
    ...(unsubscribe && { headers: unsubscribeHeaders(unsubscribe.href) }),
    html: `<!DOCTYPE html><html ${htmlAttributes(language)}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"></head>${body}</html>`,
  }
}

const htmlOf = (content: VNodeChild): Promise<string> => renderToString(createSSRApp({ render: () => content }))

/** Returns the text of an author's part: lists and tables as lines, links with their addresses. */
async function textOf(html: string): Promise<string> {
  const { convert } = await import('html-to-text')
  const table = { selector: 'table', format: 'dataTable', options: { uppercaseHeaderCells: false } }
  const link = { selector: 'a', options: { hideLinkHrefIfSameAsText: true } }
  return convert(html, { wordwrap: false, selectors: [table, link, { selector: 'img', format: 'skip' }] })
}

/** Mail programs show a button for it, and send it without opening the page. */
const unsubscribeHeaders = (href: string) => ({
  'List-Unsubscribe': `<${href}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
})

const directionOf = (language: Language) => languages.find(({ code }) => code === language)?.direction ?? 'ltr'

// Names come from people: a line break in a name could pretend to be our text.
const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, 300)

const FONT = 'font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif'
const button = (colour: string): string =>
  `display:inline-block;padding:10px 20px;border-radius:8px;background:${colour};color:#ffffff;text-decoration:none;font-weight:600`

interface LayoutProps extends Omit<MailContent, 'name' | 'subject' | 'language' | 'body'> {
  direction: 'ltr' | 'rtl'
  /** The rendered HTML of an author's body. */
  ownHtml: string
  config: MailConfig
}

const Layout = ({ direction, lines, ownHtml, action, code, notes, unsubscribe, config }: LayoutProps) => (
  <body style={`margin:0;padding:24px 16px;${FONT}`}>
    <div dir={direction} style="max-width:480px;margin:0 auto;text-align:start">
      <p style="margin:0 0 24px;font-weight:600">
        <MailLogo {...config} />
        {config.brand.name}
      </p>
      {lines.map(line => (
        <p style="margin:0 0 16px">{line}</p>
      ))}
      {ownHtml ? <div style="margin:0 0 16px" innerHTML={ownHtml} /> : null}
      {action ? (
        <p style="margin:24px 0">
          <a href={action.href} style={button(config.brand.accent[800])}>
            {action.label}
          </a>
        </p>
      ) : null}
      {code ? (
        <p style="margin:0 0 24px">
          {code.label}:
          <br />
          <strong dir="ltr" style="font-size:24px;letter-spacing:4px">
            {code.value}
          </strong>
        </p>
      ) : null}
      {notes.map(note => (
        <p style="margin:0 0 12px;font-size:14px;opacity:.75">{note}</p>
      ))}
      {unsubscribe ? (
        <p style="margin:24px 0 0;font-size:14px;opacity:.75">
          <a href={unsubscribe.href} style="color:inherit">
            {unsubscribe.label}
          </a>
        </p>
      ) : null}
    </div>
  </body>
)

/** Mail programs show PNG files and omit SVG. The platform's mark is therefore a character: a flag. */
const MailLogo = ({ brand, baseUrl }: MailConfig) =>
  brand.logo?.light.endsWith('.png') ? (
    <img
      src={baseUrl + brand.logo.light}
      alt=""
      height="24"
      style="height:24px;vertical-align:middle;margin-inline-end:8px"
    />
  ) : brand.logo ? null : (
    <span aria-hidden="true" style={`color:${brand.accent[800]};margin-inline-end:8px`}>
      ⚑
    </span>
  )
