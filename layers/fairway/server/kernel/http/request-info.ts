// h3 takes the path of a request before its hooks run and passes it to every layer. It can be changed only around
// `h3App.handler`, and only there does a refusal reach the error handler.
import type { IncomingMessage, IncomingHttpHeaders } from 'node:http'
import type { H3Event } from 'h3'
import type { Language } from '#fairway/shared/languages'
import { isServerPath } from '#fairway/shared/paths'
import { getApp, type App } from '../app-context'
import { clientAddress } from './client-address'
import { AppError } from './app-error'

/** The origin of a request, as its headers and connection state it. */
export interface RequestInfo {
  /** The client's address, as the configured proxies allow. */
  clientAddress: string
  userAgent: string
  cookieHeader?: string
  /** The language of pages and mails in response. */
  language?: Language
}

/** Returns the origin of this request: the address as configured proxies allow, the browser and its cookies. */
export function requestInfo(event: H3Event) {
  const { headers } = event.node.req
  return {
    clientAddress: clientAddress(event.node.req, getApp(event).config.trustedProxies),
    userAgent: (headers['user-agent'] ?? '').slice(0, 400),
    cookieHeader: headers.cookie,
  } satisfies RequestInfo
}

const MOST_PARAMETERS = 200

/**
 * Returns the path of the request without its query. Every path has one spelling (`canonicalTarget`), because a rule and a route
 * could otherwise read it differently.
 */
export function requestPath({ path }: H3Event): string {
  const end = path.search(/[?#]/)
  return end === -1 ? path : path.slice(0, end)
}

/**
 * Returns the target of a request with the canonical spelling of its path. Letters, digits and dots are not escaped, dot segments
 * are resolved, and empty segments and a final slash are removed. Case, `;` and other escapes distinguish paths. Throws
 * `invalid-request` for a target that is not a path.
 */
export function canonicalTarget(target: string): string {
  if (!target.startsWith('/')) throw new AppError('invalid-request', { detail: 'The request target is not a path.' })
  const end = target.search(/[?#]/)
  const path = end === -1 ? target : target.slice(0, end)
  const query = end === -1 ? '' : target.slice(end)
  return canonicalPath(path) + (query.startsWith('#') ? '' : query)
}

function canonicalPath(path: string): string {
  const plain = path.replaceAll(/%(?:2[de]|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/gi, decodeURIComponent)
  const segments: string[] = []
  for (const segment of plain.split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return `/${segments.join('/')}`
}

/** The query of the request with its leading `?`, or an empty text; throws `too-many-parameters` beyond 200. */
export function requestQuery(event: H3Event): string {
  const start = event.path.indexOf('?')
  if (start === -1) return ''
  const query = event.path.slice(start)
  if (query.split('&', MOST_PARAMETERS + 1).length > MOST_PARAMETERS)
    throw new AppError('too-many-parameters', { detail: `The query may have ${MOST_PARAMETERS} parameters at most.` })
  return query
}

/** Whether the query turns something on: `?dryRun=true` or `?dryRun=1`. The last value counts. */
export function isOn(event: H3Event, name: string): boolean {
  const value = new URLSearchParams(requestQuery(event)).getAll(name).at(-1)
  return value === 'true' || value === '1'
}

/** Aborted when the client disconnects before the response was written. */
export const requestSignal = (event: H3Event): AbortSignal => requestAbort(event).signal

/** Returns the same as a controller, for callers that also abort for other reasons. */
export function requestAbort(event: H3Event): AbortController {
  const gone = new AbortController()
  const { res } = event.node
  res.once('close', () => {
    if (!res.writableFinished) gone.abort()
  })
  return gone
}

const BEARER = /^bearer(?:\s+(.*))?$/i

/**
 * Returns the credential of an `Authorization: Bearer` header: an empty text without a value, undefined without such a header.
 */
export function readBearer(request: Pick<IncomingMessage, 'headers'>): string | undefined {
  const match = BEARER.exec(request.headers.authorization?.trim() ?? '')
  return match ? (match[1] ?? '') : undefined
}

/** Returns whether a person's browser navigates to this address now: a GET marked as a navigation that is not a prefetch. */
export function isNavigation({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  return method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && !isAheadOfTime(headers)
}

/**
 * Does the same for addresses that other clients may open, without these headers. Refuses only requests that a browser marks as
 * another kind.
 */
export function mayBeNavigation({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode } = headers
  const isOther = site !== undefined && mode !== undefined && mode !== 'navigate'
  return method === 'GET' && !isOther && !isAheadOfTime(headers)
}

function isAheadOfTime(headers: IncomingHttpHeaders): boolean {
  const purposes = [headers['sec-purpose'], headers.purpose, headers['x-purpose'], headers['x-moz']]
  return purposes.some(purpose => /prefetch|prerender|preview/i.test(String(purpose ?? '')))
}

/** Returns whether the browser already has this version (RFC 9110 §13.1.2: weak comparison, a list, or `*`). */
export function matchesEtag(request: IncomingMessage, etag: string): boolean {
  const header = request.headers['if-none-match']
  if (!header) return false
  return header.trim() === '*' || header.split(',').some(tag => tag.trim().replace(/^W\//, '') === etag)
}

/** The first path segments of handlers that the build mounts; each adds its name at start. */
export const mountedNames = (app: App): Set<string | undefined> =>
  app.memo('mounted-names', () => new Set<string | undefined>())

/**
 * Returns true for paths that serve data or framework pages, including mounted handlers and paths below them, and never the
 * application shell.
 */
export const isServedPath = (app: App | undefined, pathname: string): boolean =>
  isServerPath(pathname) || (app !== undefined && mountedNames(app).has(pathname.split('/', 2)[1]))

/**
 * Returns the path of a request that no route has answered, which only a page of the application may have. Throws `not-found` for
 * paths that serve data, and `method-not-allowed` for all but GET and HEAD.
 */
export function pagePath(event: H3Event): string {
  const path = requestPath(event)
  if (isServedPath(getApp(event), path)) throw new AppError('not-found')
  if (event.method === 'GET' || event.method === 'HEAD') return path
  throw new AppError('method-not-allowed', { headers: { allow: 'GET, HEAD' } })
}
