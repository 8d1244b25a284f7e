import { LRUCache } from 'lru-cache'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { promisify } from 'node:util'
import type { H3Event } from 'h3'
import { sha256, sha256Base64 } from '#fairway/server/kernel/crypto/hash'
import { LOCAL_DATA_MARK } from '#fairway/shared/local-data-mark'
import { getApp, type App } from '#fairway/server/kernel/app-context'
import { matchesEtag } from '#fairway/server/kernel/http/request-info'
import { sharedCacheHeader } from '#fairway/server/kernel/server-page/send-page'

const brotli = promisify(brotliCompress)
const gzipped = promisify(gzip)

type Encoding = 'br' | 'gzip' | 'identity'

interface RenderedPage {
  status: number
  policy: string
  bodies: Record<Encoding, Buffer>
  /** One strong ETag for each encoding: their bytes differ (RFC 9110 §8.8.3). */
  etags: Record<Encoding, string>
}

/** Prepares a rendered page for being served from memory: compressed once, with its ETags and its policy. */
export async function toRenderedPage(html: string, status: number, options: PagePolicyOptions): Promise<RenderedPage> {
  const identity = Buffer.from(html)
  const bodies = {
    identity,
    br: await brotli(identity, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }),
    gzip: await gzipped(identity),
  }
  const tag = sha256(identity).slice(0, 27)
  return {
    status,
    policy: pagePolicy(html, options),
    bodies,
    etags: { identity: `"${tag}"`, br: `"${tag}-br"`, gzip: `"${tag}-gz"` },
  }
}

/** The best encoding that the client accepts (RFC 9110 §12.5.3); an explicit `q=0` refuses one. */
function chooseEncoding(header: string | undefined): Encoding {
  if (!header) return 'identity'
  const accepts = (name: string) => {
    const part = header.split(',').find(item => item.split(';', 1)[0]?.trim().toLowerCase() === name)
    return part !== undefined && !/;\s*q=0(?:\.0+)?\s*$/i.test(part)
  }
  if (accepts('br')) return 'br'
  return accepts('gzip') ? 'gzip' : 'identity'
}

const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)([^>]*)>([\s\S]*?)<\/script>/gi
const DATA_TYPE = /\stype="?application\/(?:ld\+)?json/i

interface PagePolicyOptions {
  isDev: boolean
  /** Who may show the page in a frame, as the policy has it. */
  frameAncestors: string
}

/** The Content-Security-Policy of one rendered page: its own scripts by hash, nothing else inline that could run. */
function pagePolicy(html: string, options: PagePolicyOptions): string {
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

interface PageResponse {
  statusCode: number
  statusMessage: string
  headers: Record<string, string>
  body: Buffer | string
}

/** The answer with a rendered page: public cache headers, strong ETag, 304 when the browser has it. */
export function pageResponse(event: H3Event, page: RenderedPage): PageResponse {
  const encoding = chooseEncoding(acceptedEncodings(event))
  const etag = page.etags[encoding]
  const headers: Record<string, string> = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': sharedCacheHeader(getApp(event).config),
    'content-security-policy': page.policy,
    vary: 'Accept-Encoding',
    etag,
  }
  if (page.status === 200 && matchesEtag(event.node.req, etag)) {
    return { statusCode: 304, statusMessage: '', headers, body: '' }
  }
  if (encoding !== 'identity') headers['content-encoding'] = encoding
  return { statusCode: page.status, statusMessage: '', headers, body: page.bodies[encoding] }
}

const acceptedEncodings = ({ node }: H3Event): string | undefined => {
  const value = node.req.headers['accept-encoding']
  return Array.isArray(value) ? value.join(',') : value
}

const MOST_PAGES = 500

/** The rendered pages of this app in memory, by their keys; the least recently used leave first. */
export const getPageCache = (app: App): LRUCache<string, RenderedPage> =>
  app.memo('page-cache', () => new LRUCache<string, RenderedPage>({ max: MOST_PAGES }))
