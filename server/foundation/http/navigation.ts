import type { IncomingMessage } from 'node:http'

/** Whether a person's browser goes to this address now: a GET that says it is a navigation and is not made ahead of time. */
export function isNavigation({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  const purposes = [headers['sec-purpose'], headers.purpose, headers['x-purpose'], headers['x-moz']]
  const isAhead = purposes.some(purpose => /prefetch|prerender|preview/i.test(String(purpose ?? '')))
  return method === 'GET' && headers['sec-fetch-mode'] === 'navigate' && !isAhead
}
