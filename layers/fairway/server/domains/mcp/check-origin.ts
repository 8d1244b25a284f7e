import { type H3Event, setResponseHeaders, setResponseStatus } from 'h3'
import { getApp } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'

// The protocol lets tools name headers of their own (`Mcp-Param-…`).
const HEADER_NAMES = /^[a-z0-9-]+( *, *[a-z0-9-]+)*$/i
const USUAL_HEADERS = 'authorization, content-type, mcp-protocol-version, mcp-method, mcp-name'

/**
 * Lets programs, our own pages and those of `FW_MCP_ALLOWED_ORIGINS` in, the latter with the headers that browsers want.
 * Throws `cross-origin` for every other page.
 */
export function checkOrigin(event: H3Event): void {
  const { baseUrl, mcp } = getApp(event).config
  const { origin } = event.node.req.headers
  setResponseHeaders(event, { vary: 'origin' })
  if (origin === undefined || origin === baseUrl) return
  if (!mcp.allowedOrigins.includes(origin)) throw new AppError('cross-origin')
  setResponseHeaders(event, {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'www-authenticate, retry-after, x-request-id',
  })
}

/** Answers what a browser asks before it lets a page call us; whether it may is said by `checkOrigin`. */
export function answerPreflight(event: H3Event): void {
  const wanted = event.node.req.headers['access-control-request-headers'] ?? ''
  setResponseHeaders(event, {
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': HEADER_NAMES.test(wanted) ? wanted : USUAL_HEADERS,
    'access-control-max-age': 600,
  })
  setResponseStatus(event, 204)
  event.node.res.end()
}
