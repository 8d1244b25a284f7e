const NAMES = ['localhost', '[::1]']
const IPV4 = /^127(?:\.\d{1,3}){3}$/

/** Whether a host name, as `URL` gives it, is this machine (RFC 8252 §8.3: the whole of 127.0.0.0/8). */
export const isLoopbackHost = (hostname: string): boolean => NAMES.includes(hostname) || IPV4.test(hostname)

/** The host name of a `Host` header as `URL` gives it, without the port; undefined for a header that is missing or none. */
export const hostnameOf = (host: string | undefined): string | undefined =>
  host !== undefined && /^[^\s@/\\?#]+$/.test(host) && URL.canParse(`http://${host}`)
    ? new URL(`http://${host}`).hostname
    : undefined

/** Whether a `Host` header names this machine itself; a name that was made to point here (DNS rebinding) does not. */
export const isLoopbackAuthority = (host: string | undefined): boolean => isLoopbackHost(hostnameOf(host) ?? '')
