// The organization of this page. An address like `/o/<slug>/…` names it for as long as the document is open. Other pages show the
// organization that the user works in.
import { ORG_HEADER, SHOWN_ORG_HEADER } from '#fairway/shared/paths'
import { orgPagePath } from '#fairway/shared/org-path'

interface PageOrg {
  slug?: string
  /** The ID of the organization that the page shows, once the session is known. */
  shownId?: () => string | undefined
  /** The browser's own `fetch`, which names no organization. */
  fetch?: typeof globalThis.fetch
}

/** The organization of this page. */
export const pageOrg: PageOrg = { slug: import.meta.client ? /^\/o\/([^/]+)/.exec(location.pathname)?.[1] : undefined }

/** The address of a page of the router, for everything outside the router. */
export const addressOf = (path: string): string => orgPagePath(pageOrg.slug, path)

/** A link to data of our own server, which cannot send the header. */
export const withOrg = (path: string): string =>
  pageOrg.slug ? `${path}${path.includes('?') ? '&' : '?'}${ORG_HEADER}=${pageOrg.slug}` : path

/** The header that names the organization of this page; undefined before it is known. */
export function orgHeader(): [name: string, value: string] | undefined {
  if (pageOrg.slug) return [ORG_HEADER, pageOrg.slug]
  const id = pageOrg.shownId?.()
  return id ? [SHOWN_ORG_HEADER, id] : undefined
}

/**
 * Names the organization in every request to our own server, whatever code sends it: a request without it would be answered for
 * another organization. Requests with a credential of their own stay as they are.
 */
export function nameOrgInRequests(shownId: () => string | undefined): void {
  const { fetch } = window
  Object.assign(pageOrg, { fetch, shownId })
  window.fetch = (input, init) => {
    const { url, headers: requestHeaders } = input instanceof Request ? input : { url: input, headers: undefined }
    const header = orgHeader()
    const headers = new Headers(init?.headers ?? requestHeaders)
    if (!header || headers.has('authorization') || new URL(url, location.href).origin !== location.origin)
      return fetch(input, init)
    headers.set(...header)
    return fetch(input, { ...init, headers })
  }
}
