import { ACTIVE_ORG_SETTING } from '#fairway/server/domains/people'
import type { OrgRole } from '#fairway/shared/roles'

/** The columns that `orgContextJoin` adds; all null for someone who is in no organization or works without one. */
export interface OrgContextRow {
  orgId: string | null
  orgName: string | null
  orgRole: OrgRole | null
  requiredProvider: string | null
  /** The stored choice: an id, an empty text for "without an organization", null when nothing was chosen yet. */
  chosenOrgId: string | null
}

export const orgContextColumns =
  'o.id as orgId, o.name as orgName, m.role as orgRole, o.required_auth_provider as requiredProvider, a.value as chosenOrgId'

/** The sign-in rule of an organization (`o`) as a condition of statements that write; `provider` is the column that says how it was proved. */
export const orgOpensTo = (provider: string): string =>
  `(o.required_auth_provider is null or o.required_auth_provider = ${provider})`

/** Joins the one organization a user (`u`) works in: the chosen one while they are a member, else the oldest membership. */
export const orgContextJoin = `
  left join user_settings a on a.user_id = u.id and a.key = '${ACTIVE_ORG_SETTING}'
  left join org_members m on m.user_id = u.id and coalesce(a.value, '-') <> '' and m.org_id = coalesce(
    (select c.org_id from org_members c where c.user_id = u.id and c.org_id = a.value),
    (select x.org_id from org_members x where x.user_id = u.id order by x.joined_at, x.org_id limit 1))
  left join organizations o on o.id = m.org_id`
