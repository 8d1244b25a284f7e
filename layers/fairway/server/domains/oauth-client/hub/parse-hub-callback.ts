/** What the hub sends back through the browser; everything in it is the browser's word. */
export interface HubCallback {
  state?: string
  code?: string
  /** The issuer (RFC 9207), where the hub names itself. */
  issuer?: string
  error?: string
  /** Whether the address holds what only the two servers may pass to each other. */
  hasToken: boolean
}

const STATE = /^[0-9a-f]{64}$/
const CODE = /^[\w.~-]{16,512}$/
const TOKEN_NAME = /token|assertion|jwt/i
const TOKEN_VALUE = /eyJ[\w-]*\.[\w-]+\./

/** Reads the callback's query; a parameter that is there twice or has another form than the hub gives it counts as missing. */
export function parseHubCallback(query: URLSearchParams): HubCallback {
  const single = (name: string, form: RegExp): string | undefined => {
    const [value, ...more] = query.getAll(name)
    return value !== undefined && more.length === 0 && form.test(value) ? value : undefined
  }
  return {
    state: single('state', STATE),
    code: single('code', CODE),
    issuer: query.has('iss') ? query.getAll('iss').join(' ') : undefined,
    error: single('error', /^[a-z_]{1,64}$/),
    hasToken: [...query].some(([name, value]) => TOKEN_NAME.test(name) || TOKEN_VALUE.test(value)),
  }
}
