// The library's `/get-session` and sign-in responses contain the session's token, so they are never passed on. The library
// follows unchecked callback addresses, so it only gets checked ones.
import type { App } from '#fairway/server/kernel/app-context'
import { AUTH_PREFIX } from '#fairway/shared/paths'
import { createPasswordHasher, type PasswordHasher } from '#fairway/server/kernel/crypto/password'
import { storageError } from '#fairway/server/kernel/database/database-error'
import type { ErrorCode } from '#fairway/shared/errors'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { libraryCookieHeader, readSessionTokens } from '../session-cookie'
import { isRecord } from '#fairway/shared/record'

interface LibraryRequest {
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

/**
 * Calls one endpoint of the library. It gets only the listed fields, nothing else of the visitor's request. Throws AppError
 * when the library refuses.
 */
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
  if (!response.ok) throw await toLibraryError(app, response)
  const setCookies = response.headers.getSetCookie()
  const body: unknown = await response.json()
  return { body: isRecord(body) ? withoutTokens(body) : {}, setCookies }
}

/**
 * Creates an account with a password, unconfirmed. Does what the library's endpoint for sign-up does, which accepts fewer addresses
 * than we do. Throws an error of the database for an address that has an account.
 */
export async function createPasswordAccount(app: App, input: { email: string; name: string; password: string }) {
  const { internalAdapter } = await (await getLibrary(app)).$context
  const { password: typed, ...person } = input
  const password = await getPasswordHasher(app).hash(typed)
  const user = await internalAdapter.createUser({ ...person, emailVerified: false }, { method: 'email-password' })
  await internalAdapter.linkAccount({ userId: user.id, providerId: 'credential', accountId: user.id, password })
  const { id, email, name, emailVerified, image, createdAt, updatedAt } = user
  return { id, email, name, emailVerified, image, createdAt, updatedAt }
}

const libraryHeaders = (app: App, { userAgent, clientAddress }: LibraryRequest): Headers =>
  new Headers({ origin: app.config.baseUrl, 'user-agent': userAgent, [CLIENT_ADDRESS_HEADER]: clientAddress })

// The session token must travel only in its HttpOnly cookie.
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

/** The password hasher of this app. There must be one only, because it also limits concurrent hashing. */
export const getPasswordHasher = (app: App): PasswordHasher =>
  app.memo('password-hasher', () => createPasswordHasher(app.config.password.hashing))

/** The library of this app, loaded on first use: most requests only look up a session, which is our own code. */
const getLibrary = (app: App) =>
  app.memo('auth-library', async () => {
    const { createLibrary } = await import('./instance')
    return createLibrary(app, CLIENT_ADDRESS_HEADER)
  })

/** Maps an error response of the library to the catalog's error. The library's texts are logged, never sent. */
async function toLibraryError(app: App, response: Response): Promise<AppError> {
  const text = await response.text()
  const ours = statusCode(response.status)
  // The library hides errors of its database.
  const fault = ours === 'internal' || ours === 'invalid-request' ? app.db.storageFault() : undefined
  return fault ? storageError(fault, text) : new AppError(ours, { cause: text })
}

function statusCode(status: number): ErrorCode {
  if (status === 401) return 'unauthenticated'
  if (status === 403) return 'forbidden'
  if (status === 404) return 'not-found'
  if (status === 429) return 'rate-limited'
  return status >= 500 ? 'internal' : 'invalid-request'
}

/** The private header that carries the client address to the library. The same header of an incoming request is dropped. */
const CLIENT_ADDRESS_HEADER = 'x-fw-client-address'
