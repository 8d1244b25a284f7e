// Browsers send `Origin: null` with the forms of a page whose policy is `no-referrer`, so our pages use `same-origin`.
import type { IncomingMessage } from 'node:http'
import { setResponseHeader, setResponseHeaders, setResponseStatus, type H3Event } from 'h3'
import { type App, getApp } from '../app-context'
import type { AppError } from '../http/app-error'
import { chooseEncoding, type Encoding, encode, etagsOf, forEachEncoding } from '../http/encodings'
import { makeReady, type ReadyAnswer } from '../http/ready-answer'
import { matchesEtag } from '../http/request-info'
import type { Config } from '../config/config'
import type { ServerPage } from './render-page'

/**
 * Sends a page that is the same for every visitor: cacheable, with a strong ETag and 304. Pass the same page object each time,
 * because the response is cached by it.
 */
export async function sendPage(event: H3Event, page: ServerPage): Promise<Buffer> {
  const { status, headers, body } = (await readyPageOf(getApp(event), page))(event.node.req)
  setResponseStatus(event, status)
  for (let at = 1; at < headers.length; at += 2) setResponseHeader(event, headers[at - 1]!, headers[at]!)
  return typeof body === 'string' ? Buffer.from(body, 'latin1') : body
}

/** Sends a page for this visitor only, with the status of the error that it explains, if there is one. */
export function sendPersonalPage(
  event: H3Event,
  page: ServerPage,
  error?: Pick<AppError, 'headers' | 'status'>,
): string {
  setResponseHeaders(event, { ...pageHeaders(page), ...error?.headers, 'cache-control': 'no-store' })
  setResponseStatus(event, error?.status ?? 200)
  return page.html
}

/** Sends a page for this visitor only, inside a frame that the page's own policy allows. */
export function sendFramedPage(event: H3Event, { html, policy }: ServerPage, status = 200): string {
  setResponseStatus(event, status)
  setResponseHeaders(event, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'cache-control': 'no-store',
  })
  return html
}

const pageHeaders = ({ policy }: ServerPage) => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy,
  'x-frame-options': 'DENY',
})

/**
 * Chooses the response with a page that is the same for every visitor: in the client's preferred encoding, or 304 when it has
 * that version.
 */
export type ReadyPage = (request: IncomingMessage) => ReadyAnswer

const readyPages = new WeakMap<ServerPage, Promise<ReadyPage>>()

/** Creates the responses with a page, once for all requests. */
export function readyPageOf(app: Pick<App, 'config'>, page: ServerPage): Promise<ReadyPage> {
  const ready = readyPages.get(page) ?? toReadyPage(app, page)
  readyPages.set(page, ready)
  return ready
}

async function toReadyPage({ config }: Pick<App, 'config'>, page: ServerPage): Promise<ReadyPage> {
  const bodies = await encode(Buffer.from(page.html))
  const etags = etagsOf(page.etag)
  const headersOf = (encoding: Encoding) => ({ ...sharedHeaders(config, page), etag: etags[encoding] })
  const unchanged = forEachEncoding(encoding => makeReady(304, headersOf(encoding), ''))
  const whole = forEachEncoding(encoding => {
    const named: Record<string, string> = encoding === 'identity' ? {} : { 'content-encoding': encoding }
    return makeReady(200, { ...headersOf(encoding), ...named }, bodies[encoding])
  })
  return request => {
    const encoding = chooseEncoding(request)
    return matchesEtag(request, etags[encoding]) ? unchanged[encoding] : whole[encoding]
  }
}

const sharedHeaders = (config: Config, page: ServerPage) => ({
  ...pageHeaders(page),
  'cache-control': sharedCacheHeader(config),
  vary: 'Accept-Encoding',
  etag: page.etag,
})

/**
 * Returns the `Cache-Control` of application pages: browsers revalidate each time, shared caches may keep the page for the
 * configured time. With `maxAge` they may keep it for these seconds, and never longer.
 */
export function sharedCacheHeader(config: Pick<Config, 'shellCacheInSeconds'>, maxAge?: number): string {
  const seconds = config.shellCacheInSeconds
  if (seconds === null) return 'no-store'
  if (maxAge !== undefined) return `public, max-age=0, ${maxAge > 0 ? `s-maxage=${maxAge}, ` : ''}must-revalidate`
  return `public, max-age=0, s-maxage=${seconds}, stale-while-revalidate=604800, stale-if-error=3600`
}
