import type { H3Event } from 'h3'
import { getApp } from '#server/foundation/app-context'
import { sharedCacheHeader } from '#server/foundation/http/shared-cache'
import { chooseEncoding, type RenderedPage } from './rendered-page'

export interface PageResponse {
  statusCode: number
  statusMessage: string
  headers: Record<string, string>
  body: Buffer | string
}

/** The answer with a rendered page: public cache headers, strong ETag, 304 when the browser has it. */
export function pageResponse(event: H3Event, page: RenderedPage): PageResponse {
  const encoding = chooseEncoding(headerOf(event, 'accept-encoding'))
  const etag = page.etags[encoding]
  const headers: Record<string, string> = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': sharedCacheHeader(getApp(event).config),
    'content-security-policy': page.policy,
    vary: 'Accept-Encoding',
    etag,
  }
  const known = headerOf(event, 'if-none-match')
  if (
    known &&
    page.status === 200 &&
    (known.trim() === '*' || known.split(',').some(tag => tag.trim().replace(/^W\//, '') === etag))
  ) {
    return { statusCode: 304, statusMessage: '', headers, body: '' }
  }
  if (encoding !== 'identity') headers['content-encoding'] = encoding
  return { statusCode: page.status, statusMessage: '', headers, body: page.bodies[encoding] }
}

const headerOf = (event: H3Event, name: 'accept-encoding' | 'if-none-match'): string | undefined => {
  const value = event.node.req.headers[name]
  return Array.isArray(value) ? value.join(',') : value
}
