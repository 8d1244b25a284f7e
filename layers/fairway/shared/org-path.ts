import { ORG_PAGES_PREFIX } from './paths'
import type { Session } from './schemas/session'

/** The address of a page in an organization; without a slug, the page in the organization that the person works in. */
export const orgPagePath = (slug: string | null | undefined, path: string): string =>
  slug ? `${ORG_PAGES_PREFIX}/${slug}${path}` : path

/** The ID of the organization that a session works in, even if it is closed to the session. */
export const workingIn = ({ orgId, closedOrg }: Pick<Session, 'orgId' | 'closedOrg'>): string | null =>
  orgId ?? closedOrg?.id ?? null
