/** @jsxImportSource vue */
import { createSSRApp, type VNode } from 'vue'
import { renderToString } from 'vue/server-renderer'
import { sha256Base64 } from '#fairway/server/kernel/crypto/hash'
import { DEVTOOLS_PATH } from '#fairway/shared/paths'
import { script } from './script'
import { style } from './style'

/** The views, in the order of the tabs; the path of each is its name. */
export const VIEWS = ['requests', 'denials', 'tables', 'jobs', 'people', 'mails'] as const
export type View = (typeof VIEWS)[number]

export const pathOf = (view: View, rest = ''): string => `${DEVTOOLS_PATH}/${view}${rest}`

interface Frame {
  view: View
  title: string
  /** The search text. */
  search: string
  /** The number of items in a tab, for tabs that show it. */
  counts: Partial<Record<View, number>>
  product: string
  /** The identity of this browser. */
  who: VNode
  body: VNode[]
}

/** Renders a DevTools page and its policy: one style, one script, framed only by pages of this server. */
export async function renderFrame(frame: Frame): Promise<{ html: string; policy: string }> {
  const render = (node: VNode) => renderToString(createSSRApp({ render: () => node }))
  const [title, body] = await Promise.all([
    render(<title>{`${frame.title} · ${frame.product} DevTools`}</title>),
    render(<Body {...frame} />),
  ])
  const html =
    `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">` +
    `<meta name="robots" content="noindex">${title}<link rel="icon" href="/favicon.svg" type="image/svg+xml"><style>${style}</style></head>` +
    `<body>${body}<script>${script}</script></body></html>`
  const hash = (text: string) => `'sha256-${sha256Base64(text)}'`
  const policy = [
    `default-src 'none'`,
    `style-src ${hash(style)}`,
    `script-src ${hash(script)}`,
    `img-src 'self'`,
    `connect-src 'self'`,
    `form-action 'self'`,
    `base-uri 'none'`,
    `frame-ancestors 'self'`,
  ].join('; ')
  return { html, policy }
}

const Body = ({ view, title, search, counts, who, body }: Frame) => (
  <div class="frame">
    <a class="skip" href="#view">
      Skip to the content
    </a>
    <nav aria-label="DevTools">
      {VIEWS.map(name => (
        <a href={pathOf(name)} aria-current={name === view ? 'page' : undefined}>
          {name}
          {counts[name] === undefined ? null : <span class="count">{counts[name]}</span>}
        </a>
      ))}
    </nav>
    <div class="side">
      <header>
        <h1>{title}</h1>
        <form role="search" action="" method="get">
          <input
            id="search"
            name="q"
            type="search"
            value={search}
            aria-label={`Search ${view}`}
            placeholder="Search   /"
            autocomplete="off"
            spellcheck="false"
          />
        </form>
        <div id="who">{who}</div>
      </header>
      <main id="view" tabindex="-1">
        {body}
      </main>
    </div>
  </div>
)

/** Shown in place of an empty list. */
export const Empty = ({ text, hint }: { text: string; hint?: string }) => (
  <div class="empty">
    <p>{text}</p>
    {hint ? <p class="muted">{hint}</p> : null}
  </div>
)

/** A few words in a frame: a role, a state, a kind. */
export const Chip = ({ text, tone = 'plain' }: { text: string; tone?: 'plain' | 'good' | 'warn' | 'bad' }) => (
  <span class={`chip ${tone}`}>{text}</span>
)

/** A time of today, to the second, in the time zone of the server's process. */
export const Time = ({ at }: { at: Date }) => <time datetime={at.toISOString()}>{at.toTimeString().slice(0, 8)}</time>

/** Returns whether any of these texts contains the search text. */
export const matches = (search: string, ...texts: readonly (string | undefined)[]): boolean => {
  const wanted = search.trim().toLowerCase()
  return wanted === '' || texts.some(text => text?.toLowerCase().includes(wanted))
}
