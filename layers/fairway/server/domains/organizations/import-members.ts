// Members whom an operator brings from another system.
import { PEOPLE } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import type { InStatement } from '#fairway/server/kernel/database/client'
import type { OrgRole } from '#fairway/shared/roles'
import { joinAllStatements } from './active-org'
import { isNotKeptOut } from './directory-membership'

/** A membership to add. */
export interface ImportedMember {
  orgId: string
  userId: string
  role: OrgRole
}

interface Standing {
  orgId: string
  userId: string
  isMember: number
  isKeptOut: number
}

/** Finds the organizations in use with this ID or this name; the case of letters from A to Z does not count. */
export const findOrganizationsNamed = (app: App, text: string): Promise<{ id: string; name: string }[]> =>
  app.db.prepareRead<{ id: string; name: string }>(
    `select id, name from organizations where deleted_at is null and (id = ?1 or name = ?1 collate nocase)
      order by id <> ?1, created_at limit 3`,
  )([text])

const MEMBER = `json_extract(j.value, '$.userId')`
const ORG = `json_extract(j.value, '$.orgId')`

/** Which of these people are members, and whom a directory keeps out. */
export const findStandings = (app: App, members: readonly Omit<ImportedMember, 'role'>[]): Promise<Standing[]> =>
  app.db.prepareRead<Standing>(
    `select ${ORG} as orgId, ${MEMBER} as userId,
      exists (select 1 from org_members m where m.org_id = ${ORG} and m.user_id = ${MEMBER}) as isMember,
      not ${isNotKeptOut(ORG, MEMBER)} as isKeptOut
      from json_each(?) j`,
  )([JSON.stringify(members)])

/**
 * The statements that add members to organizations in use. The last one returns `orgId` and `userId` of each new member. People
 * who are members keep their role, and people whom a directory keeps out stay out. Throws `plan-limit` when a plan has no seat.
 */
export function importMemberStatements(app: App, members: readonly ImportedMember[]): InStatement[] {
  const json = JSON.stringify(members)
  return [
    ...joinAllStatements({
      who: { sql: `u.id in (select ${MEMBER} from json_each(?) j)`, args: [json] },
      to: { sql: `(select ${ORG} from json_each(?) j where ${MEMBER} = u.id limit 1)`, args: [json] },
    }),
    {
      sql: `insert into org_members (org_id, user_id, role, joined_at)
        select o.id, u.id, json_extract(j.value, '$.role'), ? from json_each(?) j
        join ${PEOPLE} on u.id = ${MEMBER} join organizations o on o.id = ${ORG} and o.deleted_at is null
        where ${isNotKeptOut('o.id', 'u.id')} on conflict do nothing returning org_id as orgId, user_id as userId`,
      args: [app.now().getTime(), json],
    },
  ]
}

/** The statement that creates an organization for its first owner, who must have an account. */
export const importOrganizationStatement = (
  app: App,
  { id, name, ownerId }: { id: string; name: string; ownerId: string },
): InStatement => ({
  sql: `insert into organizations (id, name, created_by, created_at) select ?, ?, u.id, ? from ${PEOPLE} where u.id = ?`,
  args: [id, name, app.now().getTime(), ownerId],
})
