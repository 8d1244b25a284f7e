import type { H3Event } from 'h3'
import { AppError } from './app-error'

/** The path of the request without its query, as it was sent; throws `invalid-request` for a target that is not a path. */
export function requestPath(event: H3Event): string {
  const path = event.path.split(/[?#]/, 1)[0] ?? ''
  if (!path.startsWith('/')) throw new AppError('invalid-request', { detail: 'The request target is not a path.' })
  return path
}

/** The query of the request with its leading `?`, or an empty text. */
export function requestQuery(event: H3Event): string {
  const start = event.path.indexOf('?')
  return start === -1 ? '' : event.path.slice(start)
}
