// Roles that a directory gives to members by its groups. It never changes an owner, and never takes a role that a person gave.
import { personJoin, shownPersonSql, toShownPerson } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import type { InStatement, InValue } from '#fairway/server/kernel/database/client'
import type { Runs } from '#fairway/server/kernel/owned-rows'
import type { MappedGroup, RoleChange } from '#fairway/shared/schemas/directory'
import { GIVEN_BY_DIRECTORY, appRoleStatements } from './app-roles'

/** The roles that the groups of a person give; null for none. */
export interface WantedRoles {
  userId: string
  orgRole: MappedGroup['orgRole']
  appRole: string | null
}

/** A change for one person. */
export type PlannedRole = RoleChange & { userId: string }

interface Held extends Record<string, InValue> {
  userId: string
  person: string
  orgRole: string
  given: string | null
  appRole: string | null
  assignedBy: string | null
}

const HELD = `select m.user_id as userId, ${shownPersonSql()} as person, m.role as orgRole, d.role as given, r.role as appRole,
    r.assigned_by as assignedBy from org_members m ${personJoin('m.user_id')}
  left join fw_directory_roles d on d.org_id = m.org_id and d.user_id = m.user_id
  left join app_member_roles r on r.org_id = m.org_id and r.user_id = m.user_id and r.app_id = ?
  where m.org_id = ? and m.user_id in (select value from json_each(?)) order by u.email`

/** How the roles of members change when their groups give these. */
export async function planDirectoryRoles(
  app: App,
  on: Runs,
  orgId: string,
  wanted: readonly WantedRoles[],
): Promise<PlannedRole[]> {
  const appId = app.config.appRoles?.appId ?? null
  const wantedOf = new Map(wanted.map(each => [each.userId, each]))
  const { rows } = await on.execute({ sql: HELD, args: [appId, orgId, JSON.stringify([...wantedOf.keys()])] })
  return (rows as unknown as Held[]).flatMap(({ userId, person, orgRole, given, appRole, assignedBy }) => {
    const gives = wantedOf.get(userId)
    const change = (before: string | null, after: string | null, ofApp: string | null): PlannedRole[] =>
      before === after ? [] : [{ userId, person: toShownPerson(person), appId: ofApp, before, after }]
    // What the person is without the directory.
    const ownRole = given === orgRole ? 'member' : orgRole
    const isByPerson = appRole !== null && assignedBy !== GIVEN_BY_DIRECTORY
    return [
      ...(orgRole === 'owner' ? [] : change(orgRole, gives?.orgRole === 'admin' ? 'admin' : ownRole, null)),
      ...(isByPerson || appId === null ? [] : change(appRole, gives?.appRole ?? null, appId)),
    ]
  })
}

/** The statements that make these changes, for the transaction that planned them. */
export function directoryRoleStatements(app: App, orgId: string, changes: readonly PlannedRole[]): InStatement[] {
  const ofOrg = changes.filter(({ appId }) => appId === null)
  const idsTo = (role: string) =>
    JSON.stringify(ofOrg.filter(({ after }) => after === role).map(({ userId }) => userId))
  const [admins, members] = [idsTo('admin'), idsTo('member')]
  const isOneOf = 'org_id = ? and user_id in (select value from json_each(?))'
  return [
    {
      sql: `insert into fw_directory_roles (org_id, user_id, role) select org_id, user_id, 'admin' from org_members
        where ${isOneOf} on conflict (org_id, user_id) do update set role = excluded.role`,
      args: [orgId, admins],
    },
    { sql: `delete from fw_directory_roles where ${isOneOf}`, args: [orgId, members] },
    { sql: `update org_members set role = 'admin' where ${isOneOf} and role = 'member'`, args: [orgId, admins] },
    { sql: `update org_members set role = 'member' where ${isOneOf} and role = 'admin'`, args: [orgId, members] },
    ...appRoleStatements(
      app,
      orgId,
      changes.filter(({ appId }) => appId !== null),
    ),
  ]
}
