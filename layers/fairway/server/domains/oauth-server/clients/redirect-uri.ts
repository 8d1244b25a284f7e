// Callback addresses are compared as strings. `URL` would make `:443`, upper case, `..` and tabs equal.
import { isLoopbackHost } from '#fairway/shared/loopback'

const MOST_CHARACTERS = 2048
/** The characters of an address (RFC 3986). Others are refused, so they are never compared or shown. */
const ADDRESS_CHARACTERS = /^[A-Za-z0-9\-._~:/?[\]@!$&'()*+,;=%]+$/
const LOOPBACK = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::(\d{1,5}))?(?=[/?]|$)/

/** Schemes with a special meaning in browsers or systems. */
const REFUSED_SCHEMES = new Set(
  'javascript data vbscript file blob about ftp mailto ws wss filesystem view-source jar intent content tel sms urn'.split(
    ' ',
  ),
)

/** Hosts that browsers look up. A wildcard is a pattern of hosts, not a host. */
const HOST = /^(?=.{1,254}$)(?:\[[\da-f:.]+\]|[\w-]{1,63}(?:\.[\w-]{1,63})*\.?)$/
const BLOCKED_PORTS = new Set(
  `0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135 137
  139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 1719 1720 1723
  2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080`.split(/\s+/),
)

export type RedirectKind = 'https' | 'loopback' | 'private-use'

/** Returns why codes cannot be sent to an address, as a sentence; undefined when they can. */
export function redirectUriFault(uri: string): string | undefined {
  if (uri.length > MOST_CHARACTERS) return 'A redirect URI is too long.'
  if (uri.includes('#')) return 'A redirect URI has no fragment.'
  if (!ADDRESS_CHARACTERS.test(uri) || !URL.canParse(uri)) return 'A redirect URI is an absolute address.'
  const scheme = schemeOf(uri)
  if (REFUSED_SCHEMES.has(scheme)) return `A redirect URI does not use ${scheme}:.`
  if (/^[^:]+:\/\/[^/?]*@/.test(uri)) return 'A redirect URI has no user name.'
  if (scheme === 'https')
    return /^https:\/\/[^/?]/i.test(uri) ? webFault(uri) : 'A redirect URI is an absolute address.'
  if (scheme === 'http') return isLoopback(uri) ? webFault(uri) : 'A redirect URI uses http on this computer only.'
  return undefined
}

/** Whether browsers block the port of an address (Fetch: port blocking). */
export const isBlockedPort = ({ port }: URL): boolean => BLOCKED_PORTS.has(port)

/** Returns why no browser can follow a web address; undefined when one can. */
function webFault(uri: string): string | undefined {
  const url = new URL(uri)
  if (!HOST.test(url.hostname)) return 'A redirect URI names one host.'
  return isBlockedPort(url) ? 'Browsers do not speak to the port of a redirect URI.' : undefined
}

/** The kind of an address without a fault. */
export function redirectKind(uri: string): RedirectKind {
  const scheme = schemeOf(uri)
  if (scheme === 'https') return 'https'
  return scheme === 'http' ? 'loopback' : 'private-use'
}

/**
 * Whether a client that registered `registered` may be sent to `asked`. The two must be equal byte for byte. The port of an http
 * address on the visitor's own computer may differ, because native apps choose it at runtime (RFC 8252 §7.3).
 */
export function matchesRedirect(registered: string, requested: string, applicationType: 'web' | 'native'): boolean {
  if (registered === requested) return true
  if (applicationType !== 'native' || !isLoopback(registered) || !isLoopback(requested)) return false
  return withoutFreePort(registered) === withoutFreePort(requested)
}

/** The address without the port that a program on the visitor's own computer chooses at runtime. */
export function withoutFreePort(uri: string): string {
  const [origin = ''] = LOOPBACK.exec(uri) ?? []
  return origin.replace(/:\d+$/, '') + uri.slice(origin.length)
}

/** Whether a program on the visitor's own computer receives a request to this address. */
export const staysOnComputer = (uri: string): boolean =>
  redirectKind(uri) === 'private-use' || isLoopbackHost(new URL(uri).hostname.replace(/\.$/, ''))

/** `native` when any of the addresses leads to a program on the visitor's computer (RFC 7591, OpenID Connect Registration). */
export const applicationTypeOf = (redirectUris: readonly string[]): 'web' | 'native' =>
  redirectUris.every(uri => redirectKind(uri) === 'https') ? 'web' : 'native'

const schemeOf = (uri: string): string => uri.slice(0, uri.indexOf(':')).toLowerCase()

function isLoopback(uri: string): boolean {
  const match = LOOPBACK.exec(uri)
  return match !== null && (match[1] === undefined || isPort(Number(match[1])))
}

const isPort = (port: number): boolean => port > 0 && port < 65_536
