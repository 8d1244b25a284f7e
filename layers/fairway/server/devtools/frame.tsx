/** @jsxImportSource vue */
import { createSSRApp, type VNode } from 'vue'
import { renderToString } from 'vue/server-renderer'
import { sha256Base64 } from '#fairway/server/kernel/crypto/hash'
import { DEVTOOLS_PATH } from '#fairway/shared/paths'

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

/** The style sheet of the DevTools: dense, with one accent, light or dark as the system is. */
export const style = `
:root{color-scheme:light dark;--bg:#fff;--side:#fafafa;--card:#fff;--text:#18181b;--muted:#62626b;--line:#e4e4e7;--hover:#f4f4f5;--accent:#0f766e;--good:#15803d;--warn:#a16207;--bad:#b91c1c;--soft:#f4f4f5;--bar:#99f6e4}
@media (prefers-color-scheme:dark){:root{--bg:#111113;--side:#0b0b0c;--card:#18181b;--text:#ededef;--muted:#a0a0ab;--line:#2a2a2e;--hover:#1d1d20;--accent:#5eead4;--good:#86efac;--warn:#fcd34d;--bad:#fca5a5;--soft:#1f1f23;--bar:#115e59}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--text);font:13px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
code,.mono,time{font:12px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
time,.ms,.count{font-variant-numeric:tabular-nums}
a{color:var(--accent)}p{margin:0}h1{font-size:15px;font-weight:600;margin:0;text-transform:capitalize}h2{font-size:12px;font-weight:600;color:var(--muted);margin:20px 0 8px}h2:first-child{margin-top:0}
:focus-visible{outline:2px solid var(--accent);outline-offset:-2px;border-radius:4px}
.skip{position:absolute;inset-inline-start:-999px}.skip:focus{inset-inline-start:8px;top:8px;background:var(--bg);padding:4px 8px;z-index:9}
.frame{display:grid;grid-template-columns:168px minmax(0,1fr);min-height:100vh}
nav{display:flex;flex-direction:column;gap:2px;padding:12px 8px;background:var(--side);border-inline-end:1px solid var(--line);position:sticky;top:0;height:100vh}
nav a{display:flex;justify-content:space-between;align-items:center;gap:8px;min-height:32px;padding:0 10px;border-radius:6px;color:var(--muted);text-decoration:none;text-transform:capitalize}
nav a:hover{background:var(--hover);color:var(--text)}nav a[aria-current]{background:var(--soft);color:var(--text);font-weight:600}
.count{font-size:11px;font-weight:400;color:var(--muted)}
.side{min-width:0}
header{display:flex;flex-wrap:wrap;align-items:center;gap:8px 16px;padding:10px 16px;border-bottom:1px solid var(--line);position:sticky;top:0;background:var(--bg);z-index:2}
header form[role=search]{flex:1;max-width:320px;min-width:140px}#who{display:flex;align-items:center;gap:8px;margin-inline-start:auto;color:var(--muted);min-width:0;overflow-wrap:anywhere}
input{width:100%;min-height:32px;padding:0 10px;font:inherit;color:inherit;background:var(--bg);border:1px solid var(--line);border-radius:6px}
input::placeholder{color:var(--muted)}
main{padding:16px;outline:0}
button,.button{display:inline-flex;align-items:center;min-height:28px;padding:0 10px;font:inherit;font-weight:500;color:var(--text);background:var(--card);border:1px solid var(--line);border-radius:6px;cursor:pointer;text-decoration:none}
button:hover,.button:hover{background:var(--hover)}
.list{border:1px solid var(--line);border-radius:8px;overflow:hidden;background:var(--card)}
.list>*+*{border-top:1px solid var(--line)}
summary,.row{display:flex;align-items:center;gap:10px;min-height:36px;padding:4px 12px;cursor:pointer;list-style:none}summary::-webkit-details-marker{display:none}
a.row{color:inherit;text-decoration:none;cursor:pointer}div.row{cursor:default}summary:hover,a.row:hover{background:var(--hover)}
summary:before{content:"";flex:none;width:6px;height:6px;border-inline-end:1.5px solid var(--muted);border-bottom:1.5px solid var(--muted);transform:rotate(-45deg);transition:transform .12s}
[open]>summary:before{transform:rotate(45deg)}
.grow{flex:1;min-width:0;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}.wrap{flex:1;min-width:0;overflow-wrap:anywhere}
.muted{color:var(--muted)}.good{color:var(--good)}.warn{color:var(--warn)}.bad{color:var(--bad)}
.method{flex:none;width:46px;color:var(--muted)}.status{flex:none;width:34px;text-align:end;font-weight:600}.ms{flex:none;width:64px;white-space:nowrap;text-align:end;color:var(--muted)}.who{flex:none;max-width:180px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap;color:var(--muted)}
.chip{flex:none;padding:0 7px;border:1px solid var(--line);border-radius:999px;font-size:11px;line-height:18px;color:var(--muted);white-space:nowrap}.chip.good{color:var(--good)}.chip.warn{color:var(--warn)}.chip.bad{color:var(--bad)}
.chips{display:flex;flex-wrap:wrap;gap:4px}
.inside{padding:8px 12px 14px 28px;background:var(--side)}
.walk{display:grid;grid-template-columns:auto minmax(80px,1fr) auto;gap:2px 12px;align-items:center;margin:8px 0 0}.walk .ms{width:auto}
.walk svg{display:block;width:100%;height:8px}.walk rect{fill:var(--bar)}
dl{display:grid;grid-template-columns:104px minmax(0,1fr);gap:6px 12px;margin:0}dt{color:var(--muted)}dd{margin:0;overflow-wrap:anywhere}
.card{padding:12px 14px}.card dl{margin-top:10px}.title{display:flex;flex-wrap:wrap;align-items:center;gap:6px 10px;font-weight:600}.title time,.title .muted{font-weight:400}
dd.out{color:var(--text);border-inline-start:2px solid var(--accent);padding-inline-start:10px}
.scroll{overflow:auto;border:1px solid var(--line);border-radius:8px}table{border-collapse:collapse;width:100%}
th,td{padding:5px 12px;text-align:start;white-space:nowrap;max-width:320px;overflow:hidden;text-overflow:ellipsis;border-bottom:1px solid var(--line)}tr:last-child td{border-bottom:0}
th{font-weight:500;color:var(--muted);background:var(--side);position:sticky;top:0}td{font:12px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.title+.scroll,.title+.empty{margin-top:12px}.pager{display:flex;align-items:center;gap:8px;margin-top:12px}
.empty{padding:48px 16px;text-align:center;border:1px dashed var(--line);border-radius:8px}
dd code{padding:1px 4px;background:var(--soft);border-radius:4px}.mail{white-space:pre-wrap;overflow-wrap:anywhere;margin-top:8px}
[data-away] header:after{content:"The server is starting again…";color:var(--warn);width:100%}
@media (max-width:720px){.frame{display:block}nav{flex-direction:row;overflow-x:auto;height:auto;position:static;padding:6px 8px;border-inline-end:0;border-bottom:1px solid var(--line)}nav a{flex:none;min-height:36px}header{padding:8px 12px;position:static}#who{width:100%;margin:0}main{padding:12px}summary .who,.secondary{display:none}.row .wrap{flex-basis:100%}.row .chips{flex:1}.inside{padding-inline-start:12px}dl{grid-template-columns:minmax(0,1fr);gap:2px}dd+dt{margin-top:6px}.row{flex-wrap:wrap}}
@media (pointer:coarse){summary,.row,button,.button,nav a,input{min-height:40px}}
@media (prefers-reduced-motion:reduce){*{transition:none!important}}
`
  .trim()
  .replaceAll('\n', '')

/** Refreshes a page in place: open details, the focus and the scroll position stay; `/` focuses the search field. */
export const script = `
(() => {
const field = document.getElementById('search')
const kept = { shown: '', timer: 0 }
const focusable = 'a[href],summary,button,[tabindex]'
async function refresh() {
  const view = document.getElementById('view')
  const picked = getSelection()
  if (document.hidden || (picked && !picked.isCollapsed)) return
  try {
    const answer = await fetch(location.href, { headers: { accept: 'text/html' } })
    if (!answer.ok) throw new Error()
    const next = new DOMParser().parseFromString(await answer.text(), 'text/html')
    document.documentElement.removeAttribute('data-away')
    const fresh = next.getElementById('view')
    const key = fresh.innerHTML
    if (key === kept.shown) return
    kept.shown = key
    const open = new Set([...view.querySelectorAll('details[open]')].map(each => each.id))
    const active = document.activeElement
    const inside = view.contains(active)
    const row = inside && active.closest('[id]')
    const place = inside && row ? [...row.querySelectorAll(focusable)].indexOf(active) : -1
    const scrolled = [...view.querySelectorAll('.scroll')].map(each => each.scrollLeft)
    for (const each of fresh.querySelectorAll('details')) if (open.has(each.id)) each.open = true
    view.replaceChildren(...fresh.childNodes)
    view.querySelectorAll('.scroll').forEach((each, at) => { each.scrollLeft = scrolled[at] || 0 })
    if (place >= 0) document.getElementById(row.id)?.querySelectorAll(focusable)[place]?.focus({ preventScroll: true })
    for (const old of document.querySelectorAll('nav .count')) {
      const href = old.parentElement.getAttribute('href')
      const now = next.querySelector('nav a[href="' + href + '"] .count')
      if (now) old.textContent = now.textContent
    }
  } catch { document.documentElement.setAttribute('data-away', '') }
}
field.addEventListener('input', () => {
  clearTimeout(kept.timer)
  kept.timer = setTimeout(() => {
    const url = new URL(location.href)
    url.searchParams.delete('page')
    if (field.value) url.searchParams.set('q', field.value)
    else url.searchParams.delete('q')
    history.replaceState(null, '', url)
    refresh()
  }, 150)
})
addEventListener('keydown', event => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || /INPUT|TEXTAREA/.test(event.target.tagName)) return
  event.preventDefault()
  field.focus()
  field.select()
})
document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
setInterval(refresh, 2000)
addEventListener('visibilitychange', refresh)
})()
`.trim()
