const NAMES = ['localhost', '[::1]']
const IPV4 = /^127(?:\.\d{1,3}){3}$/

/** Returns whether a host name, as `URL` returns it, is this machine (RFC 8252 §8.3: the whole of 127.0.0.0/8). */
export const isLoopbackHost = (hostname: string): boolean => NAMES.includes(hostname) || IPV4.test(hostname)

/** Returns the host name of a `Host` header in the form of `URL`, without the port; undefined for a missing or invalid header. */
export const hostnameOf = (host: string | undefined): string | undefined =>
  host !== undefined && /^[^\s@/\\?#]+$/.test(host) && URL.canParse(`http://${host}`)
    ? new URL(`http://${host}`).hostname
    : undefined

/** Returns whether a `Host` header names this machine; a foreign name that resolves to it (DNS rebinding) does not. */
export const isLoopbackAuthority = (host: string | undefined): boolean => isLoopbackHost(hostnameOf(host) ?? '')
