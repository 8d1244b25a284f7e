// The organization that a request names. Pages send it in a header. Links, pictures and streams cannot send headers, so they name
// it in their query, from where it moves into the header before anything else reads the request.
import type { IncomingMessage } from 'node:http'
import { isSlug } from '#fairway/shared/org-slug'
import { ORG_HEADER, ORG_PAGES_PREFIX, SHOWN_ORG_HEADER } from '#fairway/shared/paths'
import type { App } from '../app-context'
import { isServedPath } from './request-info'

type Request = Pick<IncomingMessage, 'headers' | 'method'>

/** No organization has this slug. */
const NOBODYS = '-'

/** The slug that a request names, or undefined. One without the form of a slug leads to no organization. */
export function requestOrg({ headers }: Pick<Request, 'headers'>): string | undefined {
  const slug = headers[ORG_HEADER]?.toString().toLowerCase()
  return slug === undefined || isSlug(slug) ? slug : NOBODYS
}

/** The ID of the organization that the page behind a request shows, for pages without one in their address. */
export const shownOrg = ({ headers }: Pick<Request, 'headers'>): string | undefined =>
  headers[ORG_HEADER] === undefined ? headers[SHOWN_ORG_HEADER]?.toString() : undefined

/** Moves the organization from the query of a reading request into its header. Returns the target without it. */
export function takeOrg({ headers, method }: Request, target: string): string {
  const at = target.indexOf('?')
  if (at === -1 || !target.includes(`${ORG_HEADER}=`, at) || (method !== 'GET' && method !== 'HEAD')) return target
  const isIts = (part: string) => part.startsWith(`${ORG_HEADER}=`)
  const parts = target.slice(at + 1).split('&')
  headers[ORG_HEADER] ??= parts.find(isIts)?.slice(ORG_HEADER.length + 1)
  const rest = parts.filter(part => !isIts(part)).join('&')
  return target.slice(0, at) + (rest ? `?${rest}` : '')
}

const PAGE_IN_ORG = new RegExp(`^${ORG_PAGES_PREFIX}/[^/?]+(/[^?]*)?(\\?.*)?$`)

/**
 * The target of the page behind `/o/<slug>/…`. The page is the same for every organization and visitor, so the slug is not looked
 * up. Other paths, and paths that serve data, stay as they are.
 */
export function targetOfPage(app: App, target: string): string {
  const match = PAGE_IN_ORG.exec(target)
  if (!match) return target
  const [, path = '/', query = ''] = match
  return isServedPath(app, path) ? target : path + query
}
