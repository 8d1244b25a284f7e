import type { H3Event } from 'h3'

const KEPT = new Set(['host', 'accept-encoding', 'if-none-match', 'connection'])

/** Takes everything personal from a request before a page is rendered: headers, cookies, query; reading the session throws from here on. */
export function makeImpersonal(event: H3Event, pathname: string): void {
  const { req } = event.node
  for (const name of Object.keys(req.headers)) {
    if (!KEPT.has(name)) delete req.headers[name]
  }
  event.context.isImpersonal = true
  event.context.session = undefined
  // The rendered page repeats its own URL, so the query goes too: one page, one set of bytes.
  event._path = pathname
  req.url = pathname
}
