import type { H3Event } from 'h3'
import { sha256, sha256Base64 } from '#fairway/server/kernel/crypto/hash'
import { LOCAL_DATA_MARK } from '#fairway/shared/device'
import type { App } from '#fairway/server/kernel/app-context'
import { chooseEncoding, type Encoding, encode, etagsOf, forEachEncoding } from '#fairway/server/kernel/http/encodings'
import { makeReady, type ReadyAnswer } from '#fairway/server/kernel/http/ready-answer'
import { matchesEtag } from '#fairway/server/kernel/http/request-info'
import { newId } from '#fairway/server/kernel/crypto/random'
import type { Memory } from '#fairway/server/kernel/database/client'
import { areUnchanged, type FollowedReads } from '#fairway/server/kernel/database/followed-reads'
import { type Cache, cacheOf, createCache } from '#fairway/server/kernel/cache'

/** Prepares a rendered page to be served from memory: compressed once, with its ETags, policy and public cache headers. */
export async function toRenderedPage(html: string, status: number, options: PageOptions) {
  const identity = Buffer.from(html)
  const bodies = await encode(identity)
  const etags = etagsOf(`"${sha256(identity).slice(0, 27)}"`)
  const policy = pagePolicy(html, options)
  const headersOf = (encoding: Encoding) => ({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': options.cacheControl,
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
  return {
    status,
    etags,
    whole: forEachEncoding(whole),
    unchanged: forEachEncoding(unchanged),
    id: newId(),
    reads: options.reads,
    renderedAt: performance.now(),
  }
}

/**
 * Preloads these scripts with the page. Without this, the browser fetches the page's own code only after the shared code has
 * run.
 */
export const withScripts = (html: string, scripts: readonly string[] = []): string =>
  html.replace(
    '</head>',
    scripts.map(src => `<link rel="modulepreload" crossorigin href="${src}">`).join('') + '</head>',
  )

/** A rendered page as it is served: for each encoding the full response and the 304 response. */
type RenderedPage = Awaited<ReturnType<typeof toRenderedPage>>

const toResponse = (statusCode: number, headers: Record<string, string>, body: Buffer | string) => ({
  statusCode,
  statusMessage: '',
  headers,
  body,
  /** The same, sent without the renderer. */
  ready: makeReady(statusCode, headers, body),
})

type PageResponse = ReturnType<typeof toResponse>

const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)([^>]*)>([\s\S]*?)<\/script>/gi
const DATA_TYPE = /\stype="?application\/(?:ld\+)?json/i

interface PageOptions {
  cacheControl: string
  /** What the page has read. It is served from memory until one of these reads has other rows. */
  reads: FollowedReads['reads']
  isDev: boolean
  /** The sites that may show the page in a frame, as written in the policy. */
  frameAncestors: string
  /** Whether search engines may list the page. */
  isListed: boolean
}

/** The Content-Security-Policy of one rendered page: its own scripts are allowed by hash, and no other inline script can run. */
function pagePolicy(html: string, options: PageOptions): string {
  const hashes = [...html.matchAll(INLINE_SCRIPT)]
    .filter(([, attributes = '']) => !DATA_TYPE.test(attributes))
    .map(([, , body = '']) => `'sha256-${sha256Base64(body)}'`)
  return [
    `default-src 'self'`,
    `script-src 'self' ${[...new Set(hashes)].join(' ')}`.trim(),
    // Component libraries position floating elements with style attributes and add style elements at run time.
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

/**
 * Adds a notice above the page that sign-in is switched off. The notice is outside the application's root element, so the
 * application does not change it.
 */
export const withAuthDisabledNotice = (html: string): string =>
  html.replace(/<body[^>]*>/i, body => `${body}<p role="status" style="${STYLE}">${NOTICE}</p>`)

/**
 * Marks the page, for every visitor alike, as one of a server where local data may be moved. Only then does its script check
 * for local data.
 */
export const withLocalDataMark = (html: string): string =>
  html.replace('</head>', `<meta name="${LOCAL_DATA_MARK}" content="offered"></head>`)

/**
 * The response with a rendered page: in the client's preferred encoding, or 304 when the browser has it. Returns a new object
 * for each call.
 */
export function pageResponse(event: H3Event, page: RenderedPage): Omit<PageResponse, 'ready'> {
  const { ready: _kept, ...response } = choose(event, page)
  return { ...response, headers: { ...response.headers } }
}

function choose({ node: { req } }: H3Event, page: RenderedPage): PageResponse {
  const encoding = chooseEncoding(req)
  const isKnown = page.status === 200 && matchesEtag(req, page.etags[encoding])
  return isKnown ? page.unchanged[encoding] : page.whole[encoding]
}

/** The clock has no trace in the database, so a page with rows is rendered again after this time. */
const MOST_AGE_IN_MS = 60_000

const renderedPages = (app: App): Cache<RenderedPage> => cacheOf(app, 'pages')

/** The pages whose reads were repeated and had the same rows, until the next write to the database. */
const checkedPages = (app: App): Memory<{ isUnchanged: boolean }> =>
  app.memo('page-checks', () => app.db.memory<{ isUnchanged: boolean }>('pages'))

const isYoung = ({ reads, renderedAt }: RenderedPage): boolean =>
  reads.length === 0 || performance.now() - renderedAt < MOST_AGE_IN_MS

/** Keeps a page in memory. */
export const keepPage = (app: App, key: string, page: RenderedPage): void => renderedPages(app).set(key, page)

/** The kept page with this key, while everything that it has read has the same rows; undefined otherwise. */
export async function findKeptPage(app: App, key: string): Promise<RenderedPage | undefined> {
  const page = renderedPages(app).get(key)
  if (!page || page.reads.length === 0) return page
  const check = async () => ({ isUnchanged: await areUnchanged(page.reads).catch(() => false) })
  if (isYoung(page) && (await checkedPages(app).get(page.id, check)).isUnchanged) return page
  renderedPages(app).delete(key)
  return undefined
}

const pagesByPath = (app: App): Cache<RenderedPage> =>
  app.memo('page-paths', () => createCache('pages', app.config.shortcuts))

/**
 * Records that a request to this path, in the language of `pathIn`, reached this page and will again. No file, route or rule of
 * the application intercepts it.
 */
export const notePath = (app: App, path: string, page: RenderedPage): void => pagesByPath(app).set(path, page)

/**
 * The response with the recorded page of a path, in the language of `pathIn`; undefined for all other paths, and for a page that
 * must be compared with the database first.
 */
export function readyPage(event: H3Event, app: App, path: string): ReadyAnswer | undefined {
  const page = pagesByPath(app).get(path)
  if (!page) return undefined
  const isFresh = page.reads.length === 0 || (isYoung(page) && checkedPages(app).peek(page.id)?.isUnchanged)
  return isFresh ? choose(event, page).ready : undefined
}
