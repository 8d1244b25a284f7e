import type { IncomingMessage } from 'node:http'
import { isIP, isIPv4, isIPv6 } from 'node:net'

/** Returns the client's address: the socket's, or the right-most hop of `X-Forwarded-For` that is not itself a trusted proxy. */
export function clientAddress(request: IncomingMessage, trustedProxies: readonly string[]): string {
  const peer = canonicalAddress(request.socket?.remoteAddress ?? '')
  if (!trustedProxies.includes(peer)) return peer
  const header = request.headers['x-forwarded-for']
  const hops = (Array.isArray(header) ? header.join(',') : (header ?? ''))
    .split(',')
    .map(hop => canonicalAddress(hop.trim()))
  const hop = hops.toReversed().find(address => !trustedProxies.includes(address))
  return hop && isIP(hop) ? hop : peer
}

/** Returns the key that limits count by: the address, or the /64 network of an IPv6 address, in one spelling. */
export function addressKey(address: string): string {
  const canonical = canonicalAddress(address)
  if (!isIPv6(canonical)) return canonical
  const [head = '', tail = ''] = canonical.split('::')
  const front = head.split(':').filter(Boolean)
  const back = tail.split(':').filter(Boolean)
  const zeros = canonical.includes('::') ? Array(8 - front.length - back.length).fill('0') : []
  return `${[...front, ...zeros, ...back].slice(0, 4).join(':')}::/64`
}

/**
 * Returns one spelling for each address: no port, no zone, IPv6 compressed in lower case, IPv4 inside IPv6 as IPv4; other text
 * unchanged.
 */
export function canonicalAddress(text: string): string {
  const address = withoutPort(text.trim()).replace(/%.*$/, '')
  if (!isIPv6(address)) return address
  const compressed = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const mapped = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(compressed)
  return mapped ? dotted(mapped.slice(1).map(group => Number.parseInt(group, 16))) : compressed
}

// Some proxies write the port behind the address: `192.0.2.1:4711` or `[2001:db8::1]:4711`.
function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1]
  if (bracketed) return bracketed
  const [address = '', port] = text.split(':')
  return port !== undefined && isIPv4(address) ? address : text
}

const dotted = (groups: number[]): string => groups.flatMap(group => [group >> 8, group & 255]).join('.')
