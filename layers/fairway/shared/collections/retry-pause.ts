const RETRIED = new Set([429, 503])
const FIRST_PAUSE_IN_MS = 500

/** How long to wait before asking again, in milliseconds: what `Retry-After` says, else doubled each time; undefined for answers that stay as they are. */
export function pauseBeforeRetry(response: Response, tries: number, now = Date.now()): number | undefined {
  if (!RETRIED.has(response.status)) return undefined
  return retryAfter(response.headers.get('retry-after'), now) ?? FIRST_PAUSE_IN_MS * 2 ** (tries - 1)
}

function retryAfter(value: string | null, now: number): number | undefined {
  if (!value) return undefined
  if (/^\d+$/.test(value.trim())) return Number(value) * 1000
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}
