/** @jsxImportSource vue */
import type { VNode } from 'vue'
import { cardPage } from './card-page'
import type { PageApp, ServerPage } from './render-page'

interface Note {
  title: string
  lead: string
  /** What exactly, or what to do. */
  detail?: string
  /** The same for something that went wrong. */
  alert?: string
  /** Stands small beside it, for support. */
  code?: string
  /** The one thing to do next, if there is one. */
  link?: { href: string; text: string }
  /** What to do besides, for example a form with the button that says no. */
  besides?: VNode
  /** English when not given. */
  language?: string
}

/** A page that says what happened, and one thing to do next. */
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
    code ? (
      <p class="foot">
        <small>{code}</small>
      </p>
    ) : null,
  ]
  return cardPage(app, { page: 'note', title, lead, children, language })
}
