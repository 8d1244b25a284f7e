/** @jsxImportSource vue */
import { type VNode, h } from 'vue'
import { errorCatalog } from '#fairway/shared/errors'
import type { Language } from '#fairway/shared/languages'
import { messagesOf, offered } from '../messages'
import type { AppError } from '../http/app-error'
import { type PageApp, ProductMark, type ServerPage, renderPage } from './render-page'
import type { ServerPageName } from './page-frame'

interface Note {
  title: string
  lead: string
  /** The details, or the next step. */
  detail?: string
  /** The details of an error. */
  alert?: string
  /** Shown small beside it, for support. */
  code?: string
  /** The one next step, if there is one. */
  link?: { href: string; text: string }
  /** A further choice, for example a form with the button that declines. */
  besides?: VNode
  /** Default: the default language. */
  language?: Language
}

/** Renders a page with what happened, and one next step. */
export function notePage(app: PageApp, note: Note): Promise<ServerPage> {
  const { title, lead, detail, alert, code, link, besides, language } = note
  const children = [
    detail ? <p>{detail}</p> : null,
    alert ? <p class="alert">{alert}</p> : null,
    link ? (
      <a class="button" href={link.href}>
        {link.text}
      </a>
    ) : null,
    besides ?? null,
    code ? <ErrorDetails text={code} language={language} /> : null,
  ]
  return cardPage(app, { page: 'note', title, lead, children, language })
}

/** Does the same as the answer to a visit. */
export const noteAnswer = async (app: PageApp, status: number, note: Note) => ({
  page: await notePage(app, note),
  status,
})

interface Card {
  page: ServerPageName
  title: string
  lead: string
  /** A picture of the requesting and the requested side, above the title. */
  mark?: VNode
  /** Where the request comes from, below the title. */
  byline?: VNode
  /** The content below, in its order. */
  children: (VNode | null)[]
  script?: string
  /** More rules for the style sheet. */
  style?: string
  /** Default: the default language. */
  language?: Language
}

/** Renders a page with one card under the application's name: its subject, then the possible steps. */
export function cardPage(
  app: PageApp,
  { page, title, lead, mark, byline, children, script, style, language = offered.defaultLanguage }: Card,
): Promise<ServerPage> {
  const about = [mark ?? null, <h1>{title}</h1>, byline ?? null, <p class="lead">{lead}</p>]
  const body = h('div', { class: 'card' }, [...about, ...children])
  return renderPage(app, { page, title, language, body, script, style })
}

/** Renders a page with the error, the next step, and the id that finds the request in the log. */
export function errorPage(
  app: PageApp,
  error: AppError,
  requestId: string,
  language: Language = offered.defaultLanguage,
): Promise<ServerPage> {
  const { failure, errors } = messagesOf(language)
  const titles: Partial<Record<string, string>> = { ...failure.titles, ...errors }
  const isPublic = error.status < 500
  // An error's detail is written in English, for the calling code.
  const detail = isPublic ? (language === 'en' ? error.detail : undefined) : failure.lead
  const known = isPublic ? (titles[error.code] ?? titles[error.status]) : failure.titles['500']
  const children = [
    <a class="button" href="/">
      {failure.toStart}
    </a>,
    <ErrorDetails text={`${error.code} · ${requestId}`} language={language} />,
  ]
  const title = language === 'en' ? errorCatalog[error.code].title : (known ?? failure.titles['400'])
  return cardPage(app, { page: 'error', title, lead: detail ?? '', children, language })
}

/** The first letter of an app's name and the product's mark, side by side. */
export const MarkPair = ({ app, name }: { app: PageApp; name: string }) => (
  <div class="pair" aria-hidden="true">
    <span>{[...name.trim()][0]?.toLocaleUpperCase() ?? '?'}</span>⇄
    <span>
      <ProductMark brand={app.config.brand} />
    </span>
  </div>
)

/** The code of an error, for support; people read its sentence. */
export const ErrorDetails = ({ text, language = offered.defaultLanguage }: { text: string; language?: Language }) => (
  <details class="details">
    <summary>{messagesOf(language).failure.details}</summary>
    <small>{text}</small>
  </details>
)

/** Lets a form be sent only once; calls `remember` with the button that sent it. */
export const ONE_CLICK = `
document.addEventListener('submit',function(e){var b=e.submitter;if(!b||e.target.dataset.sent){if(e.target.dataset.sent)e.preventDefault();return}
e.target.dataset.sent='1';b.setAttribute('aria-busy','true');remember(b)});
addEventListener('pageshow',function(e){if(e.persisted)document.querySelectorAll('form').forEach(function(f){delete f.dataset.sent;f.querySelectorAll('button').forEach(function(b){b.removeAttribute('aria-busy')})})});
`

/** The whole script of a page that needs only this. */
export const oneClickScript = `function remember(){}${ONE_CLICK}`.trim().replaceAll('\n', '')
