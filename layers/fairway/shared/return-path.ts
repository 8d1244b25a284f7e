import { LEGACY_SIGN_IN_PATH, SIGN_IN_PATH } from './paths'

const MAX_LENGTH = 2048
const FORBIDDEN = /[\p{Cc}\\]/u
const entryPaths = [SIGN_IN_PATH, LEGACY_SIGN_IN_PATH]

/** Resolves `value` to a path, query and hash of `origin`; returns `/` for an invalid one (SPEC: authentication rule 6). */
export function safeReturnPath(value: unknown, origin: string): string {
  return sameOriginPath(value, origin, entryPaths) ?? '/'
}

/**
 * Returns the resolved path, query and hash when `value` stays on `origin`, else undefined; paths in `refused` count as foreign.
 */
export function sameOriginPath(value: unknown, origin: string, refused: readonly string[] = []): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_LENGTH || !isLocal(value, origin) || !isClean(value))
    return undefined
  const url = parse(value, origin)
  if (!url || !staysOn(url, origin) || refused.includes(plainPath(url))) return undefined
  return url.pathname + url.search + url.hash
}

const isLocal = (value: string, origin: string): boolean =>
  (value.startsWith('/') && !value.startsWith('//')) || value.startsWith(`${origin}/`) || value === origin

// "/..//evil.test" resolves to "//evil.test", which a browser reads as another host.
const staysOn = (url: URL, origin: string): boolean =>
  url.origin === origin && !url.username && !url.password && !url.pathname.startsWith('//')

const plainPath = (url: URL): string => url.pathname.replace(/\/+$/, '').toLowerCase() || '/'

function parse(value: string, origin: string): URL | undefined {
  return URL.canParse(value, origin) ? new URL(value, origin) : undefined
}

// The path is also checked decoded (twice: a proxy may decode once more), so %0d, %5c and %2f%2f are detected.
function isClean(value: string): boolean {
  if (FORBIDDEN.test(value)) return false
  let path = value.split(/[?#]/, 1)[0] ?? ''
  for (let round = 0; round < 2; round++) {
    const decoded = decode(path)
    if (decoded === undefined || FORBIDDEN.test(decoded)) return false
    if (decoded !== path && /^\/+(?:\.{0,2}\/)*\//.test(decoded)) return false
    path = decoded
  }
  return true
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
