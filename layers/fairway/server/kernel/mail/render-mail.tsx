/** @jsxImportSource vue */
import { createSSRApp, type VNodeChild } from 'vue'
import { renderToString } from 'vue/server-renderer'
import { htmlAttributes, knownLanguages } from '#fairway/server/kernel/messages'
import type { Language } from '#fairway/shared/languages'
import { type MailConfig, type MailContent, MailLayout, mailStyle } from './mail-layout'

/** Returns the text and the HTML of a mail; everything that people wrote is escaped and kept on one line. */
export async function renderMail(content: MailContent, config: MailConfig) {
  const { language = 'en', body: paragraphs, action, code, unsubscribe } = content
  const subject = oneLine(content.subject)
  const lines = content.lines.map(oneLine)
  const notes = content.notes.map(oneLine)
  const facts = (content.facts ?? []).map(({ label, value }) => ({ label, value: oneLine(value) }))
  const because = content.because && oneLine(content.because)
  const ownHtml = paragraphs === undefined ? '' : await htmlOf(paragraphs)
  const text = [
    ...lines,
    ...(facts.length > 0 ? [facts.map(({ label, value }) => `${label}: ${value}`).join('\n')] : []),
    ...(ownHtml ? [await textOf(ownHtml)] : []),
    ...(action ? [`${action.label}:\n${action.href}`] : []),
    ...(code ? [`${code.label}:\n${code.value}`] : []),
    ...notes,
    `-- \n${[config.brand.name, because].filter(Boolean).join('\n')}`,
    ...(unsubscribe ? [`${unsubscribe.label}:\n${unsubscribe.href}`] : []),
  ]
  const title = oneLine(content.title ?? content.subject)
  const shown = { ...content, title, lines, notes, facts, because, ownHtml, config }
  const body = await htmlOf(<MailLayout direction={directionOf(language)} {...shown} />)
  return {
    subject,
    text: `${text.join('\n\n')}\n`,
    ...(unsubscribe && { headers: unsubscribeHeaders(unsubscribe.href) }),
    html: `<!DOCTYPE html><html ${htmlAttributes(language)}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><style>${mailStyle(config.brand.accent)}</style></head>${body}</html>`,
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

const directionOf = (language: Language) => knownLanguages.find(({ code }) => code === language)?.direction ?? 'ltr'

// Names come from people: a line break in a name could pretend to be our text.
const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, 300)
