import type { App } from '#fairway/server/kernel/app-context'
import { AUTH_PREFIX } from '#fairway/shared/paths'
import { CLIENT_ADDRESS_HEADER } from './client-address-header'
import { getLibrary } from './get-library'
import { toLibraryError } from './library-error'
import { libraryCookieHeader, readSessionTokens } from './session-cookie'

export interface LibraryRequest {
  /** The path below `/_fw/auth`, for example `/sign-in/email`. */
  path: string
  body: Record<string, unknown>
  clientAddress: string
  userAgent: string
  cookieHeader?: string
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
  const library = await getLibrary(app)
  const response = await library.handler(
    new Request(`${app.config.baseUrl}${AUTH_PREFIX}${request.path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(request.body),
    }),
  )
  if (!response.ok) throw await toLibraryError(response)
  const setCookies = response.headers.getSetCookie()
  const body: unknown = await response.json()
  return { body: isRecord(body) ? withoutTokens(body) : {}, setCookies }
}

const libraryHeaders = (app: App, { userAgent, clientAddress }: LibraryRequest): Headers =>
  new Headers({ origin: app.config.baseUrl, 'user-agent': userAgent, [CLIENT_ADDRESS_HEADER]: clientAddress })

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

// The session token travels in its HttpOnly cookie only.
const withoutTokens = ({ token: _token, ...rest }: Record<string, unknown>): Record<string, unknown> => rest

async function liveToken(app: App, tokens: string[]): Promise<string | undefined> {
  const find = app.memo('live-token', () =>
    app.db.prepareRead<{ token: string }>('select token from sessions where token = ? and expires_at > ?'),
  )
  for (const token of tokens) {
    const [row] = await find([token, app.now().getTime()])
    if (row) return row.token
  }
  return undefined
}
