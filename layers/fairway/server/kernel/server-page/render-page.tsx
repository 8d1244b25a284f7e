/** @jsxImportSource vue */
import { createSSRApp, type VNode } from 'vue'
import { renderToString } from 'vue/server-renderer'
import type { App } from '../app-context'
import { sha256, sha256Base64 } from '../crypto/hash'
import { Brand } from './brand'
import { frameOf, renderInFrame, type ServerPageName } from './page-frame'
import { pageStyle } from './page-style'

export interface ServerPageInput {
  /** Which page it is; null for what is shown inside other sites and has nothing around it. */
  page: ServerPageName | null
  title: string
  language: string
  body: VNode
  /** A small inline script; the page must work without it. */
  script?: string
  /** Who may show the page in a frame, as a Content-Security-Policy has it; nobody when not given. */
  frameAncestors?: string
}

/** What a page needs of the application: its name and looks, and what it puts around pages. */
export interface PageApp {
  config: Pick<App['config'], 'brand'>
  frames: App['frames']
}

export interface ServerPage {
  html: string
  etag: string
  /** The Content-Security-Policy of exactly this page. */
  policy: string
}

/** Renders one page of the server's own: escaping by Vue, one style sheet, one script allowed by its hash, framed by nobody unless told. */
export async function renderPage({ config: { brand }, frames }: PageApp, input: ServerPageInput): Promise<ServerPage> {
  const { page, language } = input
  const frame = page && frameOf(frames, page)
  const body =
    page && frame
      ? await renderInFrame(frame, { page, language, brand, mark: <Brand brand={brand} />, body: input.body })
      : await renderVNode(<main>{input.body}</main>)
  const title = await renderVNode(<title>{page ? `${input.title} · ${brand.name}` : input.title}</title>)
  const style = pageStyle(brand.accent) + (frame?.style ?? '')
  const script = input.script ? `<script>${input.script}</script>` : ''
  const html =
    `<!DOCTYPE html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">` +
    `<meta name="robots" content="noindex"><meta name="theme-color" content="${brand.accent[800]}">${title}<link rel="icon" href="/favicon.svg" type="image/svg+xml"><style>${style}</style></head>` +
    `<body>${body}${script}</body></html>`
  return { html, etag: `"${sha256(html).slice(0, 27)}"`, policy: policyOf(input, style) }
}

const renderVNode = (node: VNode): Promise<string> => renderToString(createSSRApp({ render: () => node }))

function policyOf({ script, frameAncestors = `'none'` }: ServerPageInput, style: string): string {
  const hash = (text: string) => `'sha256-${sha256Base64(text)}'`
  return [
    `default-src 'none'`,
    `style-src ${hash(style)}`,
    `script-src ${script ? hash(script) : `'none'`}`,
    `img-src 'self'`,
    `connect-src 'self'`,
    `base-uri 'none'`,
    `frame-ancestors ${frameAncestors}`,
  ].join('; ')
}
