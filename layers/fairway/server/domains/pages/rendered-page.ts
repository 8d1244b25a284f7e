import type { H3Event } from 'h3'
import { sha256, sha256Base64 } from '#fairway/server/kernel/crypto/hash'
import { LOCAL_DATA_MARK } from '#fairway/shared/device'
import type { App } from '#fairway/server/kernel/app-context'
import type { Config } from '#fairway/server/kernel/config/config'
import { chooseEncoding, type Encoding, encode, etagsOf, forEachEncoding } from '#fairway/server/kernel/http/encodings'
import { makeReady, type ReadyAnswer } from '#fairway/server/kernel/http/ready-answer'
import { matchesEtag } from '#fairway/server/kernel/http/request-info'
import { type Remembered, remembered } from '#fairway/server/kernel/remember'
import { sharedCacheHeader } from '#fairway/server/kernel/server-page/send-page'

/** Prepares a rendered page for being served from memory: compressed once, with its ETags, its policy and its public cache headers. */
export async function toRenderedPage(html: string, status: number, options: PageOptions) {
  const identity = Buffer.from(html)
  const bodies = await encode(identity)
  const etags = etagsOf(`"${sha256(identity).slice(0, 27)}"`)
  const policy = pagePolicy(html, options)
  const headersOf = (encoding: Encoding) => ({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': sharedCacheHeader(options.config),
    'content-security-policy': policy,
    vary: 'Accept-Encoding',
    etag: etags[encoding],
    ...(options.isListed ? {} : { 'x-robots-tag': 'noindex' }),
  })
  const unchanged = (encoding: Encoding) => toResponse(304, headersOf(encoding), '')
  const whole = (encoding: Encoding) => {
    const named: Record<string, string> = encoding === 'identity' ? {} : { 'content-encoding': encoding }
    return toResponse(status, { ...headersOf(encoding), ...named }, bodies[encoding])
  }
  // One strong ETag for each encoding: their bytes differ (RFC 9110 §8.8.3).
  return { status, etags, whole: forEachEncoding(whole), unchanged: forEachEncoding(unchanged) }
}

/** A page that lets browsers fetch these scripts at once: its own code would begin to come only when that of all pages has run. */
export const withScripts = (html: string, scripts: readonly string[] = []): string =>
  html.replace(
    '</head>',
    scripts.map(src => `<link rel="modulepreload" crossorigin href="${src}">`).join('') + '</head>',
  )

/** A rendered page as it is served: for each encoding its answer, and the one for who has it already. */
type RenderedPage = Awaited<ReturnType<typeof toRenderedPage>>

const toResponse = (statusCode: number, headers: Record<string, string>, body: Buffer | string) => ({
  statusCode,
  statusMessage: '',
  headers,
  body,
  /** The same, for being sent without the renderer. */
  ready: makeReady(statusCode, headers, body),
})

type PageResponse = ReturnType<typeof toResponse>

const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)([^>]*)>([\s\S]*?)<\/script>/gi
const DATA_TYPE = /\stype="?application\/(?:ld\+)?json/i

interface PageOptions {
  config: Pick<Config, 'shellCacheInSeconds'>
  isDev: boolean
  /** Who may show the page in a frame, as the policy has it. */
  frameAncestors: string
  /** Whether search engines may list the page. */
  isListed: boolean
}

/** The Content-Security-Policy of one rendered page: its own scripts by hash, nothing else inline that could run. */
function pagePolicy(html: string, options: PageOptions): string {
  const hashes = [...html.matchAll(INLINE_SCRIPT)]
    .filter(([, attributes = '']) => !DATA_TYPE.test(attributes))
    .map(([, , body = '']) => `'sha256-${sha256Base64(body)}'`)
  return [
    `default-src 'self'`,
    `script-src 'self' ${[...new Set(hashes)].join(' ')}`.trim(),
    // Component libraries place floating elements by style attributes and add style elements at run time.
    `style-src 'self' 'unsafe-inline'`,
    `img-src 'self' data:`,
    `font-src 'self'`,
    `connect-src 'self'${options.isDev ? ' ws: wss:' : ''}`,
    `object-src 'none'`,
    `base-uri 'none'`,
    `form-action 'self'`,
    `frame-ancestors ${options.frameAncestors}`,
  ].join('; ')
}

const NOTICE =
  'Sign-in is switched off here: everybody who opens this address is the same person and may change everything.'
const STYLE = 'margin:0;padding:8px 16px;background:#fef3c7;color:#78350f;font:14px/1.5 system-ui,sans-serif'

/** A page that says above everything else that sign-in is switched off. It stands outside of the application, which leaves it alone. */
export const withAuthDisabledNotice = (html: string): string =>
  html.replace(/<body[^>]*>/i, body => `${body}<p role="status" style="${STYLE}">${NOTICE}</p>`)

/** A page that says to everybody alike that local data may be moved on this server; only then its script asks whether there is any. */
export const withLocalDataMark = (html: string): string =>
  html.replace('</head>', `<meta name="${LOCAL_DATA_MARK}" content="offered"></head>`)

/** The answer with a rendered page: in the encoding that the client likes best, 304 when the browser has it. The object is the caller's own. */
export function pageResponse(event: H3Event, page: RenderedPage): Omit<PageResponse, 'ready'> {
  const { ready: _kept, ...response } = choose(event, page)
  return { ...response, headers: { ...response.headers } }
}

function choose({ node: { req } }: H3Event, page: RenderedPage): PageResponse {
  const encoding = chooseEncoding(req)
  const isKnown = page.status === 200 && matchesEtag(req, page.etags[encoding])
  return isKnown ? page.unchanged[encoding] : page.whole[encoding]
}

/** The rendered pages of this app in memory, by their keys. */
export const getPageCache = (app: App): Remembered<RenderedPage> => remembered(app, 'pages')

const pagesByPath = (app: App): Remembered<RenderedPage> => remembered(app, 'page-paths')

/** Notes that a request to this path, in the language of `pathIn`, reached this page, and would again: no file, no route and no rule of the application is in between. */
export const notePath = (app: App, path: string, page: RenderedPage): void => pagesByPath(app).set(path, page)

/** The answer with the page that a path, in the language of `pathIn`, is known to lead to; undefined for all others. */
export function readyPage(event: H3Event, app: App, path: string): ReadyAnswer | undefined {
  const page = pagesByPath(app).get(path)
  return page && choose(event, page).ready
}
