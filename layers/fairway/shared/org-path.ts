import { ORG_PAGES_PREFIX } from './paths'

/** The address of a page in an organization; without a slug, the page in the organization that the person works in. */
export const orgPagePath = (slug: string | null | undefined, path: string): string =>
  slug ? `${ORG_PAGES_PREFIX}/${slug}${path}` : path
