// What the endpoints and pages of all profiles share (MCP, identity hub, desktop): their limits, the visit, its parameters, its answer.
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
  identityToken: limits.identityTokensPerAddress,
}

/** Counts a request of an endpoint for its network; to be called before its body is read. Throws `rate-limited`. */
export const countRequest = (app: App, endpoint: keyof typeof requestLimits, clientAddress: string): Promise<void> =>
  rateLimit(app, requestLimits[endpoint], addressKey(clientAddress))

/** Where a visit of one of this server's pages comes from. */
export interface Visit {
  clientAddress: string
  requestId: string
  /** What its pages speak; English when not given. */
  language?: Language
}

/** The parameters of an authorization request; one that is empty counts as not sent (RFC 6749 §3.1). */
export interface Parameters {
  /** The value of a parameter; the first one where it was sent twice. */
  get(name: string): string | undefined
  /** All values: `resource` alone may be sent more than once (RFC 8707). */
  all(name: string): string[]
  /** What was sent more than once, empty or not. */
  repeated: ReadonlySet<string>
}

/** Reads the query of an authorization request; throws what `refuse` makes of it when it is longer than 8 KiB. */
export function readParameters(query: string, refuse: (description: string) => Error): Parameters {
  if (query.length > LONGEST_QUERY) throw refuse('The request is too long.')
  const values = Map.groupBy(new URLSearchParams(query), ([name]) => name)
  const all = (name: string) => (values.get(name) ?? []).map(([, value]) => value).filter(value => value !== '')
  const repeated = new Set([...values].filter(([, sent]) => sent.length > 1).map(([name]) => name))
  return { get: name => all(name)[0], all, repeated }
}

/** The refusal of a parameter that was sent twice; an odd name is not repeated. */
export const sentTwice = (name: string): string => `${/^\w{1,40}$/.test(name) ? name : 'A parameter'} was sent twice.`

/** What a visit is answered with: a page, or an address that the browser goes to. */
export type PageAnswer = { page: ServerPage; status: number } | { location: string }

/** Sends a page for this visitor alone, or the redirect (303, or 302 after a GET of OAuth); neither is kept by a cache. */
export function sendPageAnswer(event: H3Event, answer: PageAnswer, redirectStatus: 302 | 303 = 303) {
  if ('page' in answer) return sendPersonalPage(event, answer.page, { status: answer.status, headers: {} })
  setResponseHeader(event, 'cache-control', 'no-store')
  return sendRedirect(event, answer.location, redirectStatus)
}
