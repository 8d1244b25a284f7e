// Shared by the endpoints and pages of all profiles (MCP, identity hub, desktop): limits, visit, parameters, response.
import { type H3Event, sendRedirect, setResponseHeader } from 'h3'
import type { App } from '#fairway/server/kernel/app-context'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { limits } from '#fairway/server/kernel/limits/limits'
import { rateLimit } from '#fairway/server/kernel/limits/rate-limit'
import type { ServerPage } from '#fairway/server/kernel/server-page/render-page'
import type { Language } from '#fairway/shared/languages'
import { sendPersonalPage } from '#fairway/server/kernel/server-page/send-page'

const LONGEST_QUERY = 8 * 1024

const requestLimits = {
  authorize: limits.authorizationsPerAddress,
  register: limits.oauthRegistrationRequestsPerAddress,
  token: limits.oauthTokensPerAddress,
  revoke: limits.oauthRevocationsPerAddress,
  device: limits.deviceCodesPerAddress,
  identityToken: limits.identityTokensPerAddress,
}

/** Counts a request of an endpoint for its network. Call it before reading the body. Throws `rate-limited`. */
export const countRequest = (app: App, endpoint: keyof typeof requestLimits, clientAddress: string): Promise<void> =>
  rateLimit(app, requestLimits[endpoint], addressKey(clientAddress))

/** The origin of a visit to one of this server's pages. */
export interface Visit {
  clientAddress: string
  requestId: string
  /** The language of the pages; defaults to English. */
  language?: Language
}

/** The parameters of an authorization request. An empty one counts as not sent (RFC 6749 §3.1). */
export interface Parameters {
  /** The value of a parameter; the first one if it was sent twice. */
  get(name: string): string | undefined
  /** All values. Only `resource` may be sent more than once (RFC 8707). */
  all(name: string): string[]
  /** The names of parameters that were sent more than once, empty or not. */
  repeated: ReadonlySet<string>
}

/** Reads the query of an authorization request. Throws the error that `refuse` returns when it is longer than 8 KiB. */
export function readParameters(query: string, refuse: (description: string) => Error): Parameters {
  if (query.length > LONGEST_QUERY) throw refuse('The request is too long.')
  const values = Map.groupBy(new URLSearchParams(query), ([name]) => name)
  const all = (name: string) => (values.get(name) ?? []).map(([, value]) => value).filter(value => value !== '')
  const repeated = new Set([...values].filter(([, sent]) => sent.length > 1).map(([name]) => name))
  return { get: name => all(name)[0], all, repeated }
}

/** The message for a parameter that was sent twice. It does not repeat an unusual name. */
export const sentTwice = (name: string): string => `${/^\w{1,40}$/.test(name) ? name : 'A parameter'} was sent twice.`

/** The response to a visit: a page, or an address that the browser goes to. */
export type PageAnswer = { page: ServerPage; status: number } | { location: string }

/** Sends a page for this visitor, or the redirect (303, or 302 after a GET of OAuth). Caches must not store them. */
export function sendPageAnswer(event: H3Event, answer: PageAnswer, redirectStatus: 302 | 303 = 303) {
  if ('page' in answer) return sendPersonalPage(event, answer.page, { status: answer.status, headers: {} })
  setResponseHeader(event, 'cache-control', 'no-store')
  return sendRedirect(event, answer.location, redirectStatus)
}
