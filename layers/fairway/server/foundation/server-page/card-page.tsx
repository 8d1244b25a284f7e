/** @jsxImportSource vue */
import { h, type VNode } from 'vue'
import type { App } from '../app-context'
import { Brand } from './brand'
import { renderPage, type ServerPage } from './render-page'

interface Card {
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
  app: Pick<App, 'config'>,
  { title, lead, children, script, language = 'en' }: Card,
): Promise<ServerPage> {
  const about = [<h1>{title}</h1>, <p class="lead">{lead}</p>]
  const body = (
    <main>
      <Brand name={app.config.name} />
      {h('div', { class: 'card' }, [...about, ...children])}
    </main>
  )
  return renderPage({ title: `${title} · ${app.config.name}`, language, body, script })
}
