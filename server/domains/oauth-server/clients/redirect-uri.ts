import { isLoopbackHost } from '#shared/loopback'

const MOST_CHARACTERS = 2048
/** RFC 3986: nothing else is in an address, so nothing else has to be compared or shown. */
const ADDRESS_CHARACTERS = /^[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=%]+$/
const LOOPBACK = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::(\d{1,5}))?(?=[/?]|$)/

/** Schemes that a browser or system gives a meaning of its own. */
const REFUSED_SCHEMES = new Set(
  'javascript data vbscript file blob about ftp mailto ws wss filesystem view-source jar intent content tel sms urn'.split(
    ' ',
  ),
)

export type RedirectKind = 'https' | 'loopback' | 'private-use'

/** Why an address cannot be one to send codes to, as a sentence; undefined when it can. */
export function redirectUriFault(uri: string): string | undefined {
  if (uri.length > MOST_CHARACTERS) return 'A redirect URI is too long.'
  if (uri.includes('#')) return 'A redirect URI has no fragment.'
  if (!ADDRESS_CHARACTERS.test(uri) || !URL.canParse(uri)) return 'A redirect URI is an absolute address.'
  const scheme = schemeOf(uri)
  if (REFUSED_SCHEMES.has(scheme)) return `A redirect URI does not use ${scheme}:.`
  if (/^[^:]+:\/\/[^/?]*@/.test(uri)) return 'A redirect URI has no user name.'
  if (scheme === 'https') return /^https:\/\/[^/?]/i.test(uri) ? undefined : 'A redirect URI is an absolute address.'
  if (scheme === 'http') return isLoopback(uri) ? undefined : 'A redirect URI uses http on this computer only.'
  return undefined
}

/** The kind of an address without a fault. */
export function redirectKind(uri: string): RedirectKind {
  const scheme = schemeOf(uri)
  if (scheme === 'https') return 'https'
  return scheme === 'http' ? 'loopback' : 'private-use'
}

/**
 * Whether a client that registered `registered` may be sent to `asked`: byte for byte, but for the port of an http address
 * on the visitor's own computer, which native apps choose anew each time (RFC 8252 §7.3).
 */
export function matchesRedirect(registered: string, asked: string, applicationType: 'web' | 'native'): boolean {
  if (registered === asked) return true
  if (applicationType !== 'native' || !isLoopback(registered) || !isLoopback(asked)) return false
  return withoutPort(registered) === withoutPort(asked)
}

/** Whether a program on the visitor's own computer receives what is sent to this address. */
export const staysOnComputer = (uri: string): boolean =>
  redirectKind(uri) === 'private-use' || isLoopbackHost(new URL(uri).hostname.replace(/\.$/, ''))

/** `native` when anything of it leads to a program on the visitor's computer (RFC 7591, OpenID Connect Registration). */
export const applicationTypeOf = (redirectUris: readonly string[]): 'web' | 'native' =>
  redirectUris.every(uri => redirectKind(uri) === 'https') ? 'web' : 'native'

const schemeOf = (uri: string): string => uri.slice(0, uri.indexOf(':')).toLowerCase()

function isLoopback(uri: string): boolean {
  const match = LOOPBACK.exec(uri)
  return match !== null && (match[1] === undefined || isPort(Number(match[1])))
}

const isPort = (port: number): boolean => port > 0 && port < 65_536

const withoutPort = (uri: string): string => {
  const [origin = ''] = LOOPBACK.exec(uri) ?? []
  return origin.replace(/:\d+$/, '') + uri.slice(origin.length)
}
