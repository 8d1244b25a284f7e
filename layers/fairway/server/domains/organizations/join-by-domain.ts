import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { JoinedOrganization } from '#fairway/shared/schemas/organization'
import type { Session } from '#fairway/shared/schemas/session'
import { joinStatements, logMoves, moveStatements } from './active-org'
import { corporateDomainOf } from './email-domain'
import { findMembership } from './find-membership'
import { describeJoin } from './switch-organization'

const MATCHES = `
  select o.id as id, o.name as name from organizations o where o.allowed_domain = ?
  and not exists (select 1 from org_members m where m.org_id = o.id and m.user_id = ?)`

/** The organizations that people with this person's verified address may join; none for free-mail addresses. */
export async function findDomainMatches(app: App, session: Session): Promise<{ id: string; name: string }[]> {
  const domain = corporateDomainOf(session.email)
  if (!session.emailVerified || !domain) return []
  return app.db.prepareRead<{ id: string; name: string }>(MATCHES)([domain, session.userId])
}

/**
 * Joins an organization by the domain of a verified address, as a member, and works in it when it is the first or with `confirm`;
 * joining twice is the same as once. Throws `forbidden`.
 */
export async function joinByDomain(
  app: App,
  session: Session,
  { orgId, confirm }: { orgId: string; confirm: boolean },
): Promise<JoinedOrganization> {
  const domain = corporateDomainOf(session.email)
  if (!session.emailVerified) throw new AppError('email-not-verified')
  if (!domain) throw new AppError('forbidden')
  const isOpen = {
    sql: 'exists (select 1 from organizations d where d.id = ? and d.allowed_domain = ?)',
    args: [orgId, domain],
  }
  const results = await app.db.client.batch(
    [
      ...joinStatements(session.userId, orgId, isOpen),
      {
        sql: `insert into org_members (org_id, user_id, role, joined_at) select ?, ?, 'member', ? where ${isOpen.sql}
          on conflict do nothing`,
        args: [orgId, session.userId, app.now().getTime(), ...isOpen.args],
      },
      ...(confirm ? moveStatements(session.userId, orgId) : []),
    ],
    'write',
  )
  const membership = await findMembership(app, session.userId, orgId)
  if (!membership) throw new AppError('forbidden', { detail: 'Your address does not belong to this organization.' })
  await logMoves(app, results, 'joined by domain')
  app.log.info('member joined by domain', { orgId, userId: session.userId })
  return describeJoin(app, session, membership)
}
