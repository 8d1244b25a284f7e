import type { IncomingMessage } from 'node:http'

const BEARER = /^bearer(?:\s+(.*))?$/i

/** The credential of an `Authorization: Bearer` header, an empty text when there is none behind the word, undefined without such a header. */
export function readBearer(request: Pick<IncomingMessage, 'headers'>): string | undefined {
  const match = BEARER.exec(request.headers.authorization?.trim() ?? '')
  return match ? (match[1] ?? '') : undefined
}
