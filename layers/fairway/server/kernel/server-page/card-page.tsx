/** @jsxImportSource vue */
import { h, type VNode } from 'vue'
import type { ServerPageName } from './page-frame'
import { type PageApp, renderPage, type ServerPage } from './render-page'

interface Card {
  page: ServerPageName
  title: string
  lead: string
  /** What stands below, in its order. */
  children: (VNode | null)[]
  script?: string
  /** English when not given. */
  language?: string
}

/** A page with one card under the application's name: what it is about, then what can be done. */
export function cardPage(
  app: PageApp,
  { page, title, lead, children, script, language = 'en' }: Card,
): Promise<ServerPage> {
  const about = [<h1>{title}</h1>, <p class="lead">{lead}</p>]
  return renderPage(app, { page, title, language, body: h('div', { class: 'card' }, [...about, ...children]), script })
}
