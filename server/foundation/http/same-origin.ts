import type { IncomingMessage } from 'node:http'
import { AppError } from './app-error'

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Throws `cross-origin` for an unsafe request with cookies that does not come from our own pages; nothing is decided by content type. */
export function checkSameOrigin(
  request: IncomingMessage,
  baseUrl: string,
  { evenWithoutCookie }: { evenWithoutCookie: boolean },
): void {
  if (SAFE.has(request.method ?? 'GET')) return
  const { cookie, origin, 'sec-fetch-site': site } = request.headers
  if (!cookie && !evenWithoutCookie) return
  if (site !== undefined) {
    if (site !== 'same-origin' && site !== 'none') throw new AppError('cross-origin')
    return
  }
  // A program without a browser sends neither header and has no cookies of somebody else to abuse.
  if (!cookie && origin === undefined) return
  if (origin !== baseUrl) throw new AppError('cross-origin')
}
