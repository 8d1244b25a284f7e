import { isIP } from 'node:net'
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js'

/** Public by its number and yet private: the platform address of one cloud, reachable from inside of it only. */
const PRIVATE_SERVICES = new Set(['168.63.129.16'])
const GLOBAL_IPV6 = 0x2000
const GLOBAL_IPV6_MASK = 0xe000

/** Whether an IP address belongs to a machine in the public network: no private, loopback, link-local, shared, mapped, tunnelled or reserved one. */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text)
  if (!address || address.range() !== 'unicast' || PRIVATE_SERVICES.has(address.toString())) return false
  return address.kind() === 'ipv4' || isGlobal(address as IPv6)
}

// 2000::/3 is all that has been given out; the rest is "unicast" by name only.
const isGlobal = ({ parts }: IPv6): boolean => ((parts[0] ?? 0) & GLOBAL_IPV6_MASK) === GLOBAL_IPV6

// The library reads `1.2.3` and other old spellings too; a resolver gives none of them.
const parseAddress = (text: string): IPv4 | IPv6 | undefined => (isIP(text) ? ipaddr.parse(text) : undefined)
