import type { IncomingMessage } from 'node:http'

/** Whether the browser says that it holds this version already (RFC 9110 §13.1.2: weak comparison, a list, or `*`). */
export function matchesEtag(request: IncomingMessage, etag: string): boolean {
  const header = request.headers['if-none-match']
  if (!header) return false
  return header.trim() === '*' || header.split(',').some(tag => tag.trim().replace(/^W\//, '') === etag)
}
