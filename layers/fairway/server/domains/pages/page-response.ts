import type { H3Event } from 'h3'
import { getApp } from '#fairway/server/kernel/app-context'
import { matchesEtag } from '#fairway/server/kernel/http/request-info'
import { sharedCacheHeader } from '#fairway/server/kernel/server-page/send-page'
import { chooseEncoding, type RenderedPage } from './rendered-page'

export interface PageResponse {
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
