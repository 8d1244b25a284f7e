import { isLoopbackHost } from '../shared/loopback'

/** `URL` takes a star and other marks for parts of a name; no real host has them. */
const PLAIN = /^https?:\/\/[a-z0-9.:[\]-]+$/

/** Whether a text is an HTTPS origin and nothing else; with `allowLoopback` http of this machine counts too. */
export function isExactOrigin(text: string, allowLoopback: boolean): boolean {
  if (!PLAIN.test(text) || !URL.canParse(text)) return false
  const { origin, protocol, hostname } = new URL(text)
  if (origin !== text) return false
  return protocol === 'https:' || (allowLoopback && protocol === 'http:' && isLoopbackHost(hostname))
}
