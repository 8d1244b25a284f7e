// Which organizations of a person a session opens. The session's own `orgId` is always open. Code that finds organizations by a
// person's id or address asks here before it shows or changes what belongs to them.
import { findSessionProof, PEOPLE } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import type { ClosedOrg, Session } from '#fairway/shared/schemas/session'
import { checkOrgOpens, membershipColumns, openOrgContext, type OrgContextRow } from './org-context'
import { hasSessionPolicy, type SessionTimes } from './session-policy'
import { loadSecondFactorPolicy } from './second-factor'

/** An organization that is closed to a session, in the form that `checkOrgOpens` refuses. */
export interface ClosedMembership {
  closedOrg: ClosedOrg
  secondFactor?: Session['secondFactor']
}

interface OpenedOrganizations {
  /** The ids of the organizations that the session opens. */
  openIds: string[]
  closed: ClosedMembership[]
}

// Rows of a deleted organization stay until it is removed, and so does its rule.
const FIND = `select ${membershipColumns} from ${PEOPLE}
  join (select * from org_members union all select * from fw_suspended_members) m on m.user_id = u.id
  join organizations o on o.id = m.org_id where u.id = ? order by m.joined_at, o.id`

/**
 * Sorts the organizations of a session's person, deleted ones included, into those that the session opens and those whose sign-in
 * rule or second-factor policy it does not meet. Oldest membership first.
 */
export async function openedOrganizations(app: App, session: Session): Promise<OpenedOrganizations> {
  await loadSecondFactorPolicy(app)
  const find = app.memo('find-opened-organizations', () => app.db.prepareRead<OrgContextRow>(FIND))
  const openIds: string[] = []
  const closed: ClosedMembership[] = []
  const rows = await find([session.userId])
  const times = rows.some(hasSessionPolicy) ? await timesOf(app, session) : undefined
  for (const row of rows) {
    const { orgId, closedOrg, secondFactor } = openOrgContext(app, row, { ...session, times })
    if (orgId !== null) openIds.push(orgId)
    else if (closedOrg) closed.push({ closedOrg, secondFactor })
  }
  return { openIds, closed }
}

/** When the session of a person began and how it was used; undefined for a program without a row. */
async function timesOf(app: App, session: Session & { id?: string | null }): Promise<SessionTimes | undefined> {
  const proof = session.id ? await findSessionProof(app, session.userId, session.id) : undefined
  if (!proof) return undefined
  const signedInAt = proof.createdAt.getTime()
  return { signedInAt, usedAt: proof.lastUsedAt?.getTime() ?? signedInAt, longestPause: proof.longestPause }
}

/** Returns the organization when it is closed to the session; undefined when it opens, or when the person is not a member. */
export const findClosed = async (app: App, session: Session, orgId: string): Promise<ClosedMembership | undefined> =>
  (await openedOrganizations(app, session)).closed.find(({ closedOrg }) => closedOrg.id === orgId)

/** Throws `provider-required` or `second-factor-setup-required` when one of these organizations is closed to the session. */
export async function refuseClosed(app: App, session: Session, orgIds: readonly string[]): Promise<void> {
  const { closed } = await openedOrganizations(app, session)
  checkOrgOpens(closed.find(({ closedOrg }) => orgIds.includes(closedOrg.id)) ?? null)
}
