import type { H3Event } from 'h3'
import { AppError } from './app-error'

const MOST_PARAMETERS = 200

/** The path of the request without its query. Every path has one spelling (`canonicalTarget`), or a rule would know one and a route another. */
export const requestPath = (event: H3Event): string => event.path.split(/[?#]/, 1)[0] ?? ''

/**
 * The target of a request with the one spelling of its path: letters, digits and dots are not escaped, dot segments are
 * resolved, no slash follows another or ends it. Case, `;` and other escapes tell paths apart. Throws `invalid-request` for
 * a target that is not a path.
 */
export function canonicalTarget(target: string): string {
  if (!target.startsWith('/')) throw new AppError('invalid-request', { detail: 'The request target is not a path.' })
  const end = target.search(/[?#]/)
  const path = end === -1 ? target : target.slice(0, end)
  const query = end === -1 ? '' : target.slice(end)
  return canonicalPath(path) + (query.startsWith('#') ? '' : query)
}

function canonicalPath(path: string): string {
  const plain = path.replaceAll(/%(?:2[de]|3\d|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9ae])/gi, decodeURIComponent)
  const segments: string[] = []
  for (const segment of plain.split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return `/${segments.join('/')}`
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
