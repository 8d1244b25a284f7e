import { isLoopbackHost } from '#fairway/shared/loopback'

// `URL` takes some characters, `*` for one, that no host name has.
const HOST = /^(?:[a-z0-9.-]+|\[[0-9a-f:]+\])$/

/** The origin of another application: https, or http on this machine; undefined for anything else. */
export function toOrigin(value: string): string | undefined {
  if (!URL.canParse(value)) return undefined
  const { origin, protocol, hostname, pathname, search, hash, username, password } = new URL(value)
  const isBare = HOST.test(hostname) && pathname === '/' && !search && !hash && !username && !password
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
  return isBare && isSafe ? origin : undefined
}
