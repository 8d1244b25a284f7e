import type { App } from '#server/foundation/app-context'
import { AUTH_PREFIX } from '#shared/paths'
import { CLIENT_ADDRESS_HEADER } from './client-address-header'
import { getLibrary, getProviderLibrary } from './get-library'
import { toLibraryError } from './library-error'
import { libraryCookieHeader, readSessionTokens } from './session-cookie'

export interface LibraryRequest {
  /** The path below `/_fw/auth`, for example `/sign-in/email`. */
  path: string
  body: Record<string, unknown>
  clientAddress: string
  userAgent: string
  cookieHeader?: string
  /** The provider that this is about; the library is set up without providers otherwise. */
  provider?: string
}

export interface LibraryAnswer {
  body: Record<string, unknown>
  setCookies: string[]
}

/** Calls one endpoint of the library with nothing of the visitor's request but what is named here; throws AppError on refusal. */
export async function callLibrary(app: App, request: LibraryRequest): Promise<LibraryAnswer> {
  const tokens = readSessionTokens(request.cookieHeader, app.config)
  const headers = libraryHeaders(app, request)
  headers.set('content-type', 'application/json')
  const live = tokens.length > 1 ? await liveToken(app, tokens) : tokens[0]
  if (live) headers.set('cookie', libraryCookieHeader(live, app.config))
  const response = await ask(app, request, { method: 'POST', headers, body: JSON.stringify(request.body) })
  if (!response.ok) throw await toLibraryError(response)
  const setCookies = response.headers.getSetCookie()
  const body: unknown = await response.json()
  return { body: isRecord(body) ? withoutTokens(body) : {}, setCookies }
}

/** Follows a provider's way back into the library: where it leads and the cookies of the new session; throws AppError on refusal. */
export async function returnToLibrary(
  app: App,
  request: Omit<LibraryRequest, 'body'>,
): Promise<{ location: string; setCookies: string[] }> {
  const headers = libraryHeaders(app, request)
  if (request.cookieHeader) headers.set('cookie', request.cookieHeader)
  const response = await ask(app, request, { method: 'GET', headers })
  const location = response.headers.get('location')
  if (!location) throw await toLibraryError(response)
  return { location, setCookies: response.headers.getSetCookie() }
}

const libraryHeaders = (app: App, { userAgent, clientAddress }: Omit<LibraryRequest, 'body'>): Headers =>
  new Headers({ origin: app.config.baseUrl, 'user-agent': userAgent, [CLIENT_ADDRESS_HEADER]: clientAddress })

async function ask(
  app: App,
  { path, provider }: Pick<LibraryRequest, 'path' | 'provider'>,
  init: RequestInit,
): Promise<Response> {
  const library = await (provider ? getProviderLibrary(app, provider) : getLibrary(app))
  return library.handler(new Request(`${app.config.baseUrl}${AUTH_PREFIX}${path}`, init))
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

// The session token travels in its HttpOnly cookie only.
const withoutTokens = ({ token: _token, ...rest }: Record<string, unknown>): Record<string, unknown> => rest

async function liveToken(app: App, tokens: string[]): Promise<string | undefined> {
  const find = app.once('live-token', () =>
    app.db.prepareRead<{ token: string }>('select token from sessions where token = ? and expires_at > ?'),
  )
  for (const token of tokens) {
    const [row] = await find([token, app.now().getTime()])
    if (row) return row.token
  }
  return undefined
}
