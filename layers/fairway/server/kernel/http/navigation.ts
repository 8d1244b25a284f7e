import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'

/** Whether a person's browser goes to this address now: a GET that says it is a navigation and is not made ahead of time. */
export function isNavigation({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  return method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && !isAheadOfTime(headers)
}

/** The same for addresses that clients may open which say nothing of themselves: only what a browser calls something else is refused. */
export function mayBeNavigation({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  const { 'sec-fetch-site': site, 'sec-fetch-mode': mode } = headers
  const isOther = site !== undefined && mode !== undefined && mode !== 'navigate'
  return method === 'GET' && !isOther && !isAheadOfTime(headers)
}

function isAheadOfTime(headers: IncomingHttpHeaders): boolean {
  const purposes = [headers['sec-purpose'], headers.purpose, headers['x-purpose'], headers['x-moz']]
  return purposes.some(purpose => /prefetch|prerender|preview/i.test(String(purpose ?? '')))
}
