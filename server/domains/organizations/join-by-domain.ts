import type { App } from '#server/foundation/app-context'
import { AppError } from '#server/foundation/http/app-error'
import type { Session } from '#shared/schemas/session'
import { setActiveOrgId } from './active-org'
import { corporateDomainOf } from './email-domain'
import type { OrgContext } from './org-context'
import { findMembership } from './find-membership'

const MATCHES = `
  select o.id as id, o.name as name from organizations o where o.allowed_domain = ?
  and not exists (select 1 from org_members m where m.org_id = o.id and m.user_id = ?)`

/** The organizations that people with this person's verified address may join; none for free-mail addresses. */
export async function findDomainMatches(app: App, session: Session): Promise<{ id: string; name: string }[]> {
  const domain = corporateDomainOf(session.email)
  if (!session.emailVerified || !domain) return []
  return app.db.prepareRead<{ id: string; name: string }>(MATCHES)([domain, session.userId])
}

/** Joins an organization by the domain of a verified address, as a member; joining twice is the same as once. Throws `forbidden`. */
export async function joinByDomain(app: App, session: Session, orgId: string): Promise<OrgContext> {
  const domain = corporateDomainOf(session.email)
  if (!session.emailVerified) throw new AppError('email-not-verified')
  if (!domain) throw new AppError('forbidden')
  await app.db.client.execute({
    sql: `insert into org_members (org_id, user_id, role, joined_at) select o.id, ?, 'member', ? from organizations o
      where o.id = ? and o.allowed_domain = ? on conflict do nothing`,
    args: [session.userId, app.now().getTime(), orgId, domain],
  })
  const membership = await findMembership(app, session.userId, orgId)
  if (!membership) throw new AppError('forbidden', { detail: 'Your address does not belong to this organization.' })
  await setActiveOrgId(app, session, orgId, 'joined by domain')
  app.log.info('member joined by domain', { orgId, userId: session.userId })
  return { orgId, orgName: membership.orgName, orgRole: membership.role }
}
