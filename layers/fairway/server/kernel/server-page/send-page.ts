import { setResponseHeaders, setResponseStatus, type H3Event } from 'h3'
import { getApp } from '../app-context'
import type { AppError } from '../http/app-error'
import { matchesEtag } from '../http/matches-etag'
import { sharedCacheHeader } from '../http/shared-cache'
import type { ServerPage } from './render-page'

/** Answers with a page that is the same for every visitor: cacheable, with a strong ETag and 304. */
export function sendPage(event: H3Event, page: ServerPage): string {
  setPageHeaders(event, page)
  setResponseHeaders(event, { 'cache-control': sharedCacheHeader(getApp(event).config), etag: page.etag })
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
  setPageHeaders(event, page)
  setResponseHeaders(event, { ...error?.headers, 'cache-control': 'no-store' })
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

function setPageHeaders(event: H3Event, page: ServerPage): void {
  setResponseHeaders(event, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': page.policy,
    'x-frame-options': 'DENY',
  })
}
