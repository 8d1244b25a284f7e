import { PEOPLE, personColumns, type PersonRow } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import type { OrgRole } from '#fairway/shared/roles'
import type { ShareRole } from './sharing'

/** An account with what its person is in each organization. */
export interface Somebody extends PersonRow {
  organizations: { id: string; name: string; role: OrgRole }[]
}

const MOST_ROWS = 1000

const FIND_ALL = `select ${personColumns}, o.id as orgId, o.name as orgName, m.role as role from ${PEOPLE}
  left join org_members m on m.user_id = u.id left join organizations o on o.id = m.org_id
  order by u.email, o.name limit ${MOST_ROWS}`

/** Every account with its memberships, by address, a thousand of them at most: for the developer's own machine, which asks for nobody's leave. */
export async function listEveryone(app: App): Promise<Somebody[]> {
  type Row = PersonRow & { orgId: string | null; orgName: string; role: OrgRole }
  const find = app.memo('list-everyone', () => app.db.prepareRead<Row>(FIND_ALL))
  const people = new Map<string, Somebody>()
  for (const { orgId, orgName, role, ...person } of await find([])) {
    const known = people.get(person.userId) ?? { ...person, organizations: [] }
    if (orgId !== null) known.organizations.push({ id: orgId, name: orgName, role })
    people.set(person.userId, known)
  }
  return [...people.values()]
}

const FIND_SHARE = 'select role from shares where resource = ? and resource_id = ? and user_id = ?'

/** What a person was given of a row that is not theirs; null for nothing. */
export async function findShare(app: App, table: string, id: string, userId: string): Promise<ShareRole | null> {
  const find = app.memo('find-share', () => app.db.prepareRead<{ role: ShareRole }>(FIND_SHARE))
  return (await find([table, id, userId]))[0]?.role ?? null
}
