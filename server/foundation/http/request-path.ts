import type { H3Event } from 'h3'
import { AppError } from './app-error'

const MOST_PARAMETERS = 200

/** The path of the request without its query, as it was sent; throws `invalid-request` for a target that is not a path. */
export function requestPath(event: H3Event): string {
  const path = event.path.split(/[?#]/, 1)[0] ?? ''
  if (!path.startsWith('/')) throw new AppError('invalid-request', { detail: 'The request target is not a path.' })
  return path
}

/** The query of the request with its leading `?`, or an empty text; throws `too-many-parameters` beyond 200. */
export function requestQuery(event: H3Event): string {
  const start = event.path.indexOf('?')
  if (start === -1) return ''
  const query = event.path.slice(start)
  if (query.split('&', MOST_PARAMETERS + 1).length > MOST_PARAMETERS)
    throw new AppError('too-many-parameters', { detail: `The query may have ${MOST_PARAMETERS} parameters at most.` })
  return query
}
