import { isLoopbackHost } from '../../shared/loopback'

/** True for an address on this machine, where http without TLS is allowed. */
export const isLoopback = (url: URL): boolean => isLoopbackHost(url.hostname) || url.hostname.endsWith('.localhost')

/**
 * The endpoint that a person means: `/mcp` is added to a bare origin; without a text it is the application of this folder.
 * Throws a sentence for what no host could use.
 */
export function parseMcpUrl(text: string | undefined, baseUrl = 'http://localhost:3000'): URL {
  const given = text ?? baseUrl
  const url = URL.parse(/^[\w.-]+(:\d+)?(\/|$)/.test(given) ? `https://${given}` : given)
  if (!url || !['https:', 'http:'].includes(url.protocol)) throw new Error(`${given} is no http or https address.`)
  if (url.username || url.password) throw new Error('The address must not hold a user name or a password.')
  if (url.protocol === 'http:' && !isLoopback(url))
    throw new Error(`${url.href} is not encrypted. Only addresses on this machine may begin with http.`)
  url.hash = ''
  if (url.pathname === '/') url.pathname = '/mcp'
  return url
}
