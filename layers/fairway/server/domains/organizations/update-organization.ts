import { and, eq, sql } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import { domainOf, isFreeMailDomain, isPublicSuffix, normalDomain } from './email-domain'
import { requireOrg, type Actor } from './require-org'
import { organizations, orgMembers } from './tables'

export interface UpdateOrganizationInput {
  name?: string
  /** null takes the domain away. */
  allowedDomain?: string | null
}

/** Renames the organization (admin) or sets the domain whose people may join (owner, and only the domain of their own verified address). */
export async function updateOrganization(app: App, session: Session, input: UpdateOrganizationInput): Promise<void> {
  const wantsDomain = input.allowedDomain !== undefined
  const actor = requireOrg(session, wantsDomain ? 'set-domain' : 'rename-organization')
  const allowedDomain = wantsDomain ? checkedDomain(session, input.allowedDomain ?? '') : undefined
  const changes = {
    ...(input.name === undefined ? {} : { name: input.name }),
    ...(wantsDomain ? { allowedDomain } : {}),
  }
  if (Object.keys(changes).length === 0) return
  if (allowedDomain) await refuseTakenDomain(app, actor, allowedDomain)
  const roles = wantsDomain ? ['owner'] : ['owner', 'admin']
  const isAllowed = sql`exists (select 1 from ${orgMembers} where ${orgMembers.orgId} = ${organizations.id}
    and ${orgMembers.userId} = ${actor.userId} and ${orgMembers.role} in (${sql.join(
      roles.map(role => sql`${role}`),
      sql`, `,
    )}))`
  const isFree = allowedDomain
    ? sql`not exists (select 1 from organizations other where other.allowed_domain = ${allowedDomain} and other.id <> ${actor.orgId})`
    : sql`1`
  const updated = await app.db.orm
    .update(organizations)
    .set(changes)
    .where(and(eq(organizations.id, actor.orgId), isAllowed, isFree))
    .returning({ id: organizations.id })
  if (updated.length === 0) throw new AppError(allowedDomain ? 'domain-taken' : 'forbidden')
}

function checkedDomain(session: Session, typed: string): string | null {
  if (typed.trim() === '') return null
  const domain = normalDomain(typed)
  if (!domain)
    throw new AppError('invalid-input', { errors: [{ path: 'allowedDomain', message: 'This is not a domain.' }] })
  if (isFreeMailDomain(domain)) throw new AppError('free-mail-domain')
  if (isPublicSuffix(domain)) throw new AppError('public-suffix-domain')
  if (!session.emailVerified || domainOf(session.email) !== domain) throw new AppError('not-your-domain')
  return domain
}

async function refuseTakenDomain(app: App, actor: Actor, domain: string): Promise<void> {
  const [other] = await app.db.orm
    .select({ id: organizations.id })
    .from(organizations)
    .where(eq(organizations.allowedDomain, domain))
  if (other && other.id !== actor.orgId) throw new AppError('domain-taken')
}
