/** @jsxImportSource vue */
import { createSSRApp, type VNode } from 'vue'
import { renderToString } from 'vue/server-renderer'
import { sha256, sha256Base64 } from '../crypto/hash'
import { pageStyle } from './page-style'

export interface ServerPageInput {
  title: string
  language: string
  body: VNode
  /** A small inline script; the page must work without it. */
  script?: string
  /** Who may show the page in a frame, as a Content-Security-Policy has it; nobody when not given. */
  frameAncestors?: string
}

/** The language that a browser prefers (its `Accept-Language`), of those that the server's own pages speak. */
export const preferredLanguage = (accepted = ''): 'en' | 'de' => (/^\s*de\b/i.test(accepted) ? 'de' : 'en')

export interface ServerPage {
  html: string
  etag: string
  /** The Content-Security-Policy of exactly this page. */
  policy: string
}

/** Renders one page of the server's own: escaping by Vue, one style sheet, one script allowed by its hash, framed by nobody unless told. */
export async function renderPage(input: ServerPageInput): Promise<ServerPage> {
  const body = await renderToString(createSSRApp({ render: () => input.body }))
  const head = await renderToString(createSSRApp({ render: () => <title>{input.title}</title> }))
  const script = input.script ? `<script>${input.script}</script>` : ''
  const html =
    `<!DOCTYPE html><html lang="${input.language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">` +
    `<meta name="robots" content="noindex">${head}<link rel="icon" href="/favicon.svg" type="image/svg+xml"><style>${pageStyle}</style></head>` +
    `<body>${body}${script}</body></html>`
  return { html, etag: `"${sha256(html).slice(0, 27)}"`, policy: policyOf(input) }
}

function policyOf({ script, frameAncestors = `'none'` }: ServerPageInput): string {
  const hash = (text: string) => `'sha256-${sha256Base64(text)}'`
  return [
    `default-src 'none'`,
    `style-src ${hash(pageStyle)}`,
    `script-src ${script ? hash(script) : `'none'`}`,
    `img-src 'self'`,
    `connect-src 'self'`,
    `base-uri 'none'`,
    `frame-ancestors ${frameAncestors}`,
  ].join('; ')
}
