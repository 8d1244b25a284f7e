import { and, eq } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import type { OrgRole } from '#fairway/shared/roles'
import { organizations, orgMembers } from './tables'

export interface Membership {
  orgId: string
  orgName: string
  role: OrgRole
}

/** The membership of a person in one organization, or null. */
export async function findMembership(app: App, userId: string, orgId: string): Promise<Membership | null> {
  const [row] = await app.db.orm
    .select({ orgId: orgMembers.orgId, orgName: organizations.name, role: orgMembers.role })
    .from(orgMembers)
    .innerJoin(organizations, eq(organizations.id, orgMembers.orgId))
    .where(and(eq(orgMembers.userId, userId), eq(orgMembers.orgId, orgId)))
  return row ?? null
}

/** All memberships of a person, the oldest first. */
export function listMemberships(app: App, userId: string): Promise<Membership[]> {
  return app.db.orm
    .select({ orgId: orgMembers.orgId, orgName: organizations.name, role: orgMembers.role })
    .from(orgMembers)
    .innerJoin(organizations, eq(organizations.id, orgMembers.orgId))
    .where(eq(orgMembers.userId, userId))
    .orderBy(orgMembers.joinedAt, orgMembers.orgId)
}
