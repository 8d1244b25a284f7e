import { plainLine } from '#fairway/server/kernel/events/log'

/** What a provider sends back through the browser (RFC 6749 §4.1.2, RFC 9207); everything in it is the browser's word. */
export interface CallbackAnswer {
  state?: string
  code?: string
  issuer?: string
  error?: string
  /** The provider's own words, for the log only. */
  errorDescription?: string
}

const MOST_CHARACTERS = 4096

/** Reads the callback's query; a parameter that is there twice (RFC 6749 §3.1), empty or overlong counts as missing. */
export function parseCallback(query: URLSearchParams): CallbackAnswer {
  const single = (name: string): string | undefined => {
    const [value, ...more] = query.getAll(name)
    return value && more.length === 0 && value.length <= MOST_CHARACTERS ? value : undefined
  }
  const line = (name: string): string | undefined => {
    const text = single(name)
    return text && plainLine(text)
  }
  return {
    state: single('state'),
    code: single('code'),
    issuer: single('iss'),
    error: line('error'),
    errorDescription: line('error_description'),
  }
}
