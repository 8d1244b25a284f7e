import { isIPv4, isIPv6 } from 'node:net'

/** One spelling for each address: no port, no zone, IPv6 compressed in lower case, IPv4 inside IPv6 as IPv4; other text as it is. */
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
