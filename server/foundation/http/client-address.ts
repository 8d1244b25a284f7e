import type { IncomingMessage } from 'node:http'
import { isIP, Socket } from 'node:net'

/** The client's address: the socket's, or the right-most hop of `X-Forwarded-For` that is not itself a trusted proxy. */
export function clientAddress(request: IncomingMessage, trustedProxies: readonly string[]): string {
  const peer = canonical(request.socket?.remoteAddress ?? '')
  if (!trustedProxies.includes(peer)) return peer
  const header = request.headers['x-forwarded-for']
  const hops = (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',').map(hop => canonical(hop.trim()))
  const hop = hops.toReversed().find(address => !trustedProxies.includes(address))
  return hop && isIP(hop) ? hop : peer
}

/** True when the socket itself comes from this machine; headers are not asked. */
export function isLoopbackPeer(request: IncomingMessage): boolean {
  const { socket } = request
  // A Unix socket has no address, and only this machine can open one: the development server hands requests over so.
  if (socket instanceof Socket && !socket.destroyed && socket.remoteAddress === undefined) return true
  const peer = canonical(socket?.remoteAddress ?? '')
  return peer === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(peer)
}

/** The key that limits count by: the address, or the /64 network of an IPv6 address. */
export function addressKey(address: string): string {
  if (isIP(address) !== 6) return address
  const [head = '', tail = ''] = address.toLowerCase().split('::')
  const front = head.split(':').filter(Boolean)
  const back = tail.split(':').filter(Boolean)
  const zeros = address.includes('::') ? Array(Math.max(0, 8 - front.length - back.length)).fill('0') : []
  const groups = [...front, ...zeros, ...back].slice(0, 4)
  return `${groups.map(group => group.replace(/^0+(?=.)/, '')).join(':')}::/64`
}

// IPv4 addresses that arrive on an IPv6 socket are one address, not two.
const canonical = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
