/** @jsxImportSource vue */
import { createSSRApp, type VNode } from 'vue'
import { renderToString } from 'vue/server-renderer'
import type { App } from '../app-context'
import { htmlAttributes } from '#fairway/server/kernel/messages'
import { sha256, sha256Base64 } from '../crypto/hash'
import type { Brand as BrandConfig, Logo, Accent } from '../config/brand'
import { systemTheme, TYPEFACE_PATH } from '../config/theme'
import { frameOf, renderInFrame, type ServerPageName } from './page-frame'

interface ServerPageInput {
  /** The page's name; null for a page that other sites show, which has no frame. */
  page: ServerPageName | null
  title: string
  language: string
  body: VNode
  /** A small inline script; the page must work without it. */
  script?: string
  /** More rules for the style sheet. */
  style?: string
  /**
   * The sites that may show the page in a frame, as the `frame-ancestors` value of a Content-Security-Policy; no site when not
   * given.
   */
  frameAncestors?: string
}

/** The parts of the application that a page needs: its name, its looks and its frames. */
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

/**
 * Renders one of the server's own pages. Vue escapes it; it has one style sheet and one script that its hash allows, and other
 * sites cannot frame it by default.
 */
export async function renderPage({ config: { brand }, frames }: PageApp, input: ServerPageInput): Promise<ServerPage> {
  const { page, language } = input
  const frame = page && frameOf(frames, page)
  const body =
    page && frame
      ? await renderInFrame(frame, { page, language, brand, mark: <Brand brand={brand} />, body: input.body })
      : await renderVNode(<main>{input.body}</main>)
  const title = await renderVNode(<title>{page ? `${input.title} · ${brand.name}` : input.title}</title>)
  const style = pageStyle(brand.accent) + (input.style ?? '') + (frame?.style ?? '')
  const script = input.script ? `<script>${input.script}</script>` : ''
  const html =
    `<!DOCTYPE html><html ${htmlAttributes(language)}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">` +
    `<meta name="robots" content="noindex"><meta name="theme-color" content="${brand.accent[800]}">${title}<link rel="preload" href="${TYPEFACE_PATH}" as="font" type="font/woff2" crossorigin><link rel="icon" href="/favicon.svg" type="image/svg+xml"><style>${style}</style></head>` +
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
    `font-src 'self'`,
    `connect-src 'self'`,
    `base-uri 'none'`,
    `frame-ancestors ${frameAncestors}`,
  ].join('; ')
}

/** The product's mark and name above the card. */
const Brand = ({ brand }: { brand: BrandConfig }) => (
  <p class="brand">
    <ProductMark brand={brand} />
    {brand.name}
  </p>
)

/** The product's logo, or the default mark for products without one. */
export const ProductMark = ({ brand: { logo } }: { brand: BrandConfig }) => (logo ? <Picture logo={logo} /> : <Mark />)

const Picture = ({ logo }: { logo: Logo }) => (
  <picture>
    {logo.dark === logo.light ? null : <source media="(prefers-color-scheme:dark)" srcset={logo.dark} />}
    <img src={logo.light} alt="" />
  </picture>
)

const Mark = () => (
  <svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" aria-hidden="true">
    <path d="M6 21V4l12 4-12 4" />
    <path d="M4 21h16" />
  </svg>
)

/** The style sheet of the pages that the server renders itself. */
const pageStyle = (accent: Accent): string => systemTheme(accent) + rules

const rules = `
*{box-sizing:border-box}:root{color-scheme:light dark}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:24px 16px;background:var(--ui-bg-muted);color:var(--ui-text-highlighted);font:15px/1.5 var(--fw-font)}
main{width:100%;max-width:400px}
.brand{display:flex;align-items:center;gap:8px;margin:0 0 16px;font-weight:600}
.brand svg{width:24px;height:24px;color:var(--ui-primary)}.brand picture,.brand img{display:block}.brand img{height:24px;width:auto;max-width:160px}
.card{background:var(--ui-bg);border:1px solid var(--ui-border);border-radius:var(--fw-radius);padding:24px;box-shadow:0 1px 3px rgb(15 23 42/.08)}
h1{font-size:20px;line-height:1.3;margin:0 0 4px}
h2{font-size:16px;line-height:1.3;margin:24px 0 8px}p{margin:0 0 16px}.lead,.foot{color:var(--ui-text-muted);font-size:14px}.foot{margin:16px 0 0}
label{display:block;font-size:14px;font-weight:500;margin:0 0 4px}
.field{margin:0 0 16px}.hint{font-size:13px;color:var(--ui-text-muted);margin:4px 0 0}
input,select{width:100%;height:var(--fw-field-height);padding:0 12px;font:inherit;font-size:14px;line-height:20px;color:inherit;background:var(--ui-bg);border:1px solid var(--ui-border-accented);border-radius:var(--fw-radius)}
select{appearance:none;padding-inline-end:32px;background-image:linear-gradient(45deg,transparent 50%,var(--ui-text-muted) 50%),linear-gradient(135deg,var(--ui-text-muted) 50%,transparent 50%);background-position:calc(100% - 17px) 50%,calc(100% - 12px) 50%;background-size:5px 5px;background-repeat:no-repeat}[dir=rtl] select{background-position:12px 50%,17px 50%}
fieldset{border:0;margin:0 0 16px;padding:0}legend{padding:0;margin:0 0 8px;font-size:14px;font-weight:500}
.check{display:flex;gap:12px;min-height:40px;margin:0 0 8px;font-size:14px;font-weight:400}.check small{display:block;color:var(--ui-text-muted)}
.check input,.mark{flex:none;width:20px;min-height:0;height:20px;margin:0;padding:0;accent-color:var(--ui-primary)}
.check input[type=checkbox]{appearance:none;display:grid;place-content:center;width:16px;height:16px;margin:2px;border-radius:4px;cursor:pointer}.check input[type=checkbox]:checked{background:var(--fw-fill);border-color:var(--fw-fill)}.check input[type=checkbox]:checked:before{content:"";width:10px;height:10px;background:var(--fw-on-fill);clip-path:polygon(14% 44%,0 62%,42% 96%,100% 18%,84% 4%,39% 68%)}
@media (forced-colors:active){.check input[type=checkbox]{appearance:auto}}
.mark{text-align:center;color:var(--ui-primary);font-weight:600}
dl{margin:0 0 16px;font-size:14px;overflow-wrap:anywhere}dt{color:var(--ui-text-muted)}dd{margin:0 0 8px}h1{overflow-wrap:anywhere}
button,.button{display:block;width:100%;min-height:var(--fw-field-height);padding:7px 12px;font:inherit;font-size:14px;line-height:20px;font-weight:500;text-align:center;text-decoration:none;border:1px solid transparent;border-radius:var(--fw-radius);cursor:pointer;background:var(--fw-fill);color:var(--fw-on-fill);transition:background-color .14s}
button:hover,.button:hover{background:var(--fw-fill-hover)}
.quiet{background:transparent;color:var(--ui-text-highlighted);border-color:var(--ui-border-accented)}.quiet:hover{background:var(--ui-bg-muted)}.danger{color:var(--ui-error);border-color:currentColor}
button.link{display:inline;width:auto;min-height:24px;padding:0;background:none;border:0;color:var(--ui-primary);font-weight:500;text-decoration:underline}
button:disabled{opacity:.6;cursor:default}
.with-mark{display:flex;align-items:center;justify-content:center;gap:8px}.with-mark svg{flex:none;width:18px;height:18px}
[dir=rtl] .points{transform:scaleX(-1)}
.last{padding:0 8px;border:1px solid currentColor;border-radius:999px;font-size:12px;font-weight:400;color:var(--ui-text-muted)}
button:not(.quiet) .last{color:inherit}
.secret{display:block;position:relative}.secret input{padding-inline-end:48px}
button.reveal{position:absolute;inset-block:0;inset-inline-end:0;display:grid;place-items:center;width:44px;min-height:0;padding:0;background:none;border:0;color:var(--ui-text-muted)}
button.reveal:hover,button.reveal[aria-pressed=true]{color:var(--ui-text-highlighted)}.reveal svg{width:20px;height:20px}.reveal[aria-pressed=true] .closed,.reveal[aria-pressed=false] .open{display:none}
input[aria-invalid=true]{border-color:var(--ui-error)}
.fault{margin:4px 0 0;font-size:14px;color:var(--ui-error)}.fault small{opacity:.85}
.check:has(input:not(:checked))+.depends,.check:has(input:not(:checked))+.depends+.depends{display:none}
.mail{overflow-wrap:anywhere}
.links{display:flex;flex-wrap:wrap;gap:4px 16px}
.pair{display:flex;align-items:center;gap:12px;margin:0 0 16px;color:var(--ui-text-muted)}
.pair>span{flex:none;display:grid;place-items:center;min-width:40px;height:40px;padding:0 7px;border-radius:var(--fw-radius);border:1px solid var(--ui-border);background:var(--ui-bg-muted);color:var(--ui-text-highlighted);font-weight:600;font-size:18px}.pair svg{width:24px;height:24px;color:var(--ui-primary)}.pair img{display:block;height:24px;width:auto;max-width:120px}
.origin{margin:0 0 8px;overflow-wrap:anywhere}
.person{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 16px;padding:8px 0;border-block:1px solid var(--ui-border);margin:0 0 16px;font-size:14px}.person strong{overflow-wrap:anywhere;min-width:0}
[hidden]{display:none!important}
form .foot+button,.card form+form,.card button+button,.card form+.button,.card .button+form,form.below{margin-top:8px}
button[aria-busy=true]{opacity:.7;cursor:progress}
a{color:var(--ui-primary)}
:focus-visible{outline:3px solid var(--ui-primary);outline-offset:2px}
.alert{border:1px solid color-mix(in srgb,currentColor 40%,transparent);border-radius:var(--fw-radius);padding:12px;margin:0 0 16px;font-size:14px;color:var(--ui-error);background:var(--fw-error-tint)}
.alert small{display:block;opacity:.85}
.banner{margin:0 0 16px;padding:12px 16px;border:1px solid color-mix(in srgb,var(--ui-warning) 40%,transparent);border-radius:var(--fw-radius);font-size:14px;background:color-mix(in srgb,var(--ui-warning) 8%,transparent)}
.note{margin:0 0 16px;font-size:14px}
.or{display:flex;align-items:center;gap:12px;margin:24px 0 16px;font-size:14px;color:var(--ui-text-muted)}.or:before,.or:after{content:"";flex:1;border-top:1px solid var(--ui-border)}
.ways form,.ways div{display:grid;gap:8px}.ways>*+form,.ways>*+div{margin-top:8px}.ways>.or+*{margin-top:0}.ways button+button,.ways button{margin-top:0}
.more{margin-top:16px;font-size:14px}.more[open] summary{margin-bottom:8px}.more form{margin:0}
.details{margin:16px 0 0;font-size:12px;color:var(--ui-text-muted);overflow-wrap:anywhere}.alert .details{margin:4px 0 0;color:inherit}.alert .details summary{min-height:20px}
.code{font-size:18px;letter-spacing:4px;font-variant-numeric:tabular-nums}
.steady{min-height:440px}body:has(.steady){align-items:start;padding-top:max(24px,calc(50vh - 340px))}
.other{border-top:1px solid var(--ui-border);margin-top:24px;padding-top:16px}
pre{margin:0 0 16px;overflow:auto;max-height:240px;padding:8px 12px;border-radius:var(--fw-radius);background:var(--ui-bg-muted);font-size:12px;white-space:pre-wrap;overflow-wrap:anywhere}summary{cursor:pointer;min-height:24px}details form{margin-top:16px}
.switch-default,.switch:target{display:flex;flex-direction:column;min-height:320px}.switch>.foot,.switch-default>.foot{margin-top:auto;padding-top:16px}
.switch:not(:target){display:none}.switch:target~.switch-default,body:has(.switch:target) .switch-default{display:none}
body:has(#sign-up:target) .proves,body:has(#sign-up-password:target) .proves,body:not(:has(.switch:target)):has(#sign-up.switch-default) .proves,body:not(:has(.switch:target)):has(#sign-up-password.switch-default) .proves{visibility:hidden}
.languages{display:flex;flex-wrap:wrap;gap:4px 16px;justify-content:center;margin:16px 0 0;font-size:14px}.languages button,.languages a,.languages span{display:inline-grid;place-items:center;min-height:24px}.languages span{color:var(--ui-text-muted)}
@media (pointer:coarse){:root{--fw-field-height:40px}input,select{font-size:16px}.languages button,.languages a,.languages span,.links a,button.link,summary{min-height:40px;align-content:center}}
@media (prefers-reduced-motion:reduce){*{transition:none!important}}
`
  .trim()
  .replaceAll('\n', '')
