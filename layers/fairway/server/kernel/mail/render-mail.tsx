/** @jsxImportSource vue */
import { createSSRApp } from 'vue'
import { renderToString } from 'vue/server-renderer'
import { htmlAttributes, languages } from '#fairway/server/kernel/messages'
import type { Language } from '#fairway/shared/languages'
import type { Config } from '../config/config'

/** What a mail says, once; both forms come from it. */
export interface MailContent {
  /** Which mail it is, for operators. */
  name: string
  /** English when not given. */
  language?: Language
  subject: string
  /** Paragraphs before the button. */
  lines: string[]
  action?: { label: string; href: string }
  /** Paragraphs after it: how long it works, what to do when the mail was not expected. */
  notes: string[]
}

type MailConfig = Pick<Config, 'brand' | 'baseUrl'>

/** The text and the HTML of a mail; everything that people wrote is escaped and kept on one line. */
export async function renderMail(content: MailContent, config: MailConfig) {
  const { language, subject, lines, action, notes } = {
    ...content,
    language: content.language ?? 'en',
    subject: oneLine(content.subject),
    lines: content.lines.map(oneLine),
    notes: content.notes.map(oneLine),
  }
  // Many mail programs drop the document's own element.
  const direction = directionOf(language)
  const text = [
    ...lines,
    ...(action ? [`${action.label}:\n${action.href}`] : []),
    ...notes,
    `-- \n${config.brand.name}`,
  ]
  const body = await renderToString(
    createSSRApp({ render: () => <Layout {...{ direction, lines, action, notes, config }} /> }),
  )
  return {
    subject,
    text: `${text.join('\n\n')}\n`,
    html: `<!DOCTYPE html><html ${htmlAttributes(language)}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"></head>${body}</html>`,
  }
}

const directionOf = (language: Language) => languages.find(({ code }) => code === language)?.direction ?? 'ltr'

// Names come from people: a line break in one would let it speak for us.
const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, 300)

const FONT = 'font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif'
const button = (colour: string): string =>
  `display:inline-block;padding:10px 20px;border-radius:8px;background:${colour};color:#ffffff;text-decoration:none;font-weight:600`

interface LayoutProps extends Omit<MailContent, 'name' | 'subject' | 'language'> {
  direction: 'ltr' | 'rtl'
  config: MailConfig
}

const Layout = ({ direction, lines, action, notes, config }: LayoutProps) => (
  <body style={`margin:0;padding:24px 16px;${FONT}`}>
    <div dir={direction} style="max-width:480px;margin:0 auto;text-align:start">
      <p style="margin:0 0 24px;font-weight:600">
        <MailLogo {...config} />
        {config.brand.name}
      </p>
      {lines.map(line => (
        <p style="margin:0 0 16px">{line}</p>
      ))}
      {action ? (
        <p style="margin:24px 0">
          <a href={action.href} style={button(config.brand.accent[800])}>
            {action.label}
          </a>
        </p>
      ) : null}
      {notes.map(note => (
        <p style="margin:0 0 12px;font-size:14px;opacity:.75">{note}</p>
      ))}
    </div>
  </body>
)

/** Mail programs show PNG files and leave SVG out, so only the one is named. */
const MailLogo = ({ brand, baseUrl }: MailConfig) =>
  brand.logo?.light.endsWith('.png') ? (
    <img
      src={baseUrl + brand.logo.light}
      alt=""
      height="24"
      style="height:24px;vertical-align:middle;margin-inline-end:8px"
    />
  ) : null
