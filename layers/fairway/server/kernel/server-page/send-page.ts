// Browsers send `Origin: null` with the forms of a page whose policy is `no-referrer`: pages of ours say `same-origin`.
import { setResponseHeaders, setResponseStatus, type H3Event } from 'h3'
import { type App, getApp } from '../app-context'
import type { AppError } from '../http/app-error'
import { makeReady, type ReadyAnswer } from '../http/ready-answer'
import { matchesEtag } from '../http/request-info'
import type { Config } from '../config/config'
import type { ServerPage } from './render-page'

/** Answers with a page that is the same for every visitor: cacheable, with a strong ETag and 304. */
export function sendPage(event: H3Event, page: ServerPage): string {
  setResponseHeaders(event, sharedHeaders(getApp(event).config, page))
  if (matchesEtag(event.node.req, page.etag)) {
    setResponseStatus(event, 304)
    return ''
  }
  return page.html
}

/** Answers with a page for this visitor only, under the status of the error it explains, if there is one. */
export function sendPersonalPage(
  event: H3Event,
  page: ServerPage,
  error?: Pick<AppError, 'headers' | 'status'>,
): string {
  setResponseHeaders(event, { ...pageHeaders(page), ...error?.headers, 'cache-control': 'no-store' })
  setResponseStatus(event, error?.status ?? 200)
  return page.html
}

/** Answers with a page for this visitor only, inside a frame that the page's own policy allows. */
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

/** A page that is the same for every visitor, as `sendPage` answers it: whole, and to who has it already. */
export interface ReadyPage {
  etag: string
  whole: ReadyAnswer
  unchanged: ReadyAnswer
}

/** Makes the answers of `sendPage` once for all requests. */
export function toReadyPage({ config }: Pick<App, 'config'>, page: ServerPage): ReadyPage {
  const headers = sharedHeaders(config, page)
  return {
    etag: page.etag,
    whole: makeReady(200, headers, Buffer.from(page.html)),
    unchanged: makeReady(304, headers, ''),
  }
}

const sharedHeaders = (config: Config, page: ServerPage) => ({
  ...pageHeaders(page),
  'cache-control': sharedCacheHeader(config),
  etag: page.etag,
})

/** The `Cache-Control` of application pages: browsers ask again each time, shared caches may keep the page for the configured time. */
export function sharedCacheHeader(config: Pick<Config, 'shellCacheInSeconds'>): string {
  const seconds = config.shellCacheInSeconds
  if (seconds === null) return 'no-store'
  return `public, max-age=0, s-maxage=${seconds}, stale-while-revalidate=604800, stale-if-error=3600`
}
