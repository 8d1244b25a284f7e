import { OAuthError } from '../oauth-error'

const LONGEST_QUERY = 8 * 1024

/** The parameters of an authorization request; one that is empty counts as not sent (RFC 6749 §3.1). */
export interface Parameters {
  /** The value of a parameter; the first one where it was sent twice. */
  get(name: string): string | undefined
  /** All values: `resource` alone may be sent more than once (RFC 8707). */
  all(name: string): string[]
  /** What was sent more than once. */
  repeated: ReadonlySet<string>
}

/** Reads a query; throws `invalid_request` for one that is longer than 8 KiB. */
export function readParameters(query: string): Parameters {
  if (query.length > LONGEST_QUERY) throw new OAuthError('invalid_request', 'The request is too long.')
  const pairs = [...new URLSearchParams(query)].filter(([, value]) => value !== '')
  const values = Map.groupBy(pairs, ([name]) => name)
  const all = (name: string) => (values.get(name) ?? []).map(([, value]) => value)
  const repeated = new Set([...values].filter(([, sent]) => sent.length > 1).map(([name]) => name))
  return { get: name => all(name)[0], all, repeated }
}
