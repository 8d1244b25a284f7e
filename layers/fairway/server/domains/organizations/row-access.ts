// Decides in SQL which rows a person may use: one condition for lists, single rows and conditional writes.
import { getTableColumns, getTableName, Param, sql, type SQL } from 'drizzle-orm'
import { alias, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { originalName } from '#fairway/server/kernel/database/orm'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import { type Caller, keysOf } from './caller'
import { holds, teamsWith } from './permissions'
import { appRoleOf, holdersOf, orgRoleOf, teamsOf } from './service-accounts/principal'
import { type Part, personColumn, type PolicyAction, policyOf, teamColumnsIn, type Via } from './policy'

/** The uses of a row: read it, change it, or also share and delete it. The owner may do all. */
export const SHARE_ROLES = ['viewer', 'editor', 'admin'] as const
/** The role of a person that a row is shared with. */
export type ShareRole = (typeof SHARE_ROLES)[number]

/** A table that has `ownableColumns()` and an `id`. */
export type OwnableTable = SQLiteTable & {
  id: SQLiteColumn
  ownerEmail: SQLiteColumn
  orgId: SQLiteColumn
  visibility: SQLiteColumn
}

/** A table that has `organizationColumns()` and an `id`. */
export type OrganizationTable = SQLiteTable & { id: SQLiteColumn; orgId: SQLiteColumn; createdBy: SQLiteColumn }

/** A table with access by person (own rows and shared ones) or by organization. */
export type SharedTable = OwnableTable | OrganizationTable

type PermissionPart = Extract<Part, { kind: 'permission' }>

/** Whether rows belong to people, who can share them. */
export const isOwnable = (table: SharedTable): table is OwnableTable => 'visibility' in table

/**
 * Returns the owner and the organization of a new row. Throws `unauthenticated` without a session, since every row needs a real
 * owner.
 */
export function ownedBy(session: Pick<Session, 'email' | 'orgId'> | null): {
  ownerEmail: string
  orgId: string | null
} {
  if (!session) throw new AppError('unauthenticated')
  return { ownerEmail: session.email, orgId: session.orgId }
}

/**
 * Returns the organization and the creator of a new row, for a table with `organizationColumns()`. Throws `unauthenticated`
 * without a session and `no-organization` without an organization.
 */
export function inOrganization(session: Pick<Session, 'email' | 'name' | 'orgId'> | null): {
  orgId: string
  createdBy: string
  createdByName: string
} {
  if (!session) throw new AppError('unauthenticated')
  if (!session.orgId) throw new AppError('no-organization')
  return { orgId: session.orgId, createdBy: session.email, createdByName: session.name }
}

/** The values to write, by the names of the columns; undefined and missing ones stay unchanged. */
export type Changes = Readonly<Record<string, unknown>>

/**
 * Returns the condition for lists, single rows and conditional writes: the rows that the caller may read, update or delete.
 * `viewer`, `editor` and `admin` are other names for these. Rows of other organizations never match.
 * The policy of the table decides. Without one, all members share the rows with `organizationColumns()`. Rows with
 * `ownableColumns()` belong to their owner, to the people they are shared with and, by `visibility`, to their organization; no
 * role grants access there. With `changes`, an update must also be allowed to write these values. A change of the team is allowed
 * where the update would also be allowed in the new one.
 */
export function accessibleTo(
  table: SharedTable,
  caller: Caller,
  access: ShareRole | Exclude<PolicyAction, 'create'> = 'read',
  changes: Changes = {},
): SQL {
  const policy = policyOf(table)
  const action = ACTION_OF[access]
  if (!policy)
    return isOwnable(table) ? sharedWith(table, caller, ROLE_OF[action]) : sql`${table.orgId} = ${caller.orgId}`
  const conditions = [anyOf(policy.rules.read, table, caller)]
  if (action !== 'read') conditions.push(anyOf(policy.rules[action], table, caller))
  for (const [name, value] of ruledChanges(table, changes)) {
    const column = columnOf(table, name)
    // A refusal must not reveal a value that the caller cannot see.
    const stays = sql`(${mayReadField(table, caller, name)} and ${column} is ${new Param(value, column)})`
    conditions.push(sql`(${mayWrite(table, caller, name)} or ${stays})`)
  }
  const moved = movedTeams(table, changes)
  if (moved) conditions.push(anyOf(policy.rules.update, table, caller, moved))
  return sql`(${sql.join(conditions, sql` and `)})`
}

/** Returns the changes of the columns that `team()` reads in the rule for updates; undefined for none. */
export function movedTeams(table: SQLiteTable, changes: Changes): Changes | undefined {
  const columns = teamColumnsIn(policyOf(table)?.rules.update ?? []).filter(column => changes[column] !== undefined)
  return columns.length > 0 ? Object.fromEntries(columns.map(column => [column, changes[column]])) : undefined
}

const ACTION_OF = {
  viewer: 'read',
  editor: 'update',
  admin: 'delete',
  read: 'read',
  update: 'update',
  delete: 'delete',
} as const
const ROLE_OF = { read: 'viewer', update: 'editor', delete: 'admin' } as const

/** Returns the changes to fields that have a write rule. */
export const ruledChanges = (table: SQLiteTable, changes: Changes): [string, unknown][] =>
  Object.entries(changes).filter(
    ([column, value]) => value !== undefined && policyOf(table)?.fields[column]?.write !== undefined,
  )

/** Returns a column of a table by its name in code. The declaration of the policy has checked that it exists. */
export const columnOf = (table: SQLiteTable, name: string): SQLiteColumn => getTableColumns(table)[name] as SQLiteColumn

const mayWrite = (table: SharedTable, caller: Caller, column: string): SQL =>
  anyOf(policyOf(table)?.fields[column]?.write ?? [{ kind: 'member' }], table, caller)

const mayReadField = (table: SharedTable, caller: Caller, column: string): SQL => {
  const read = policyOf(table)?.fields[column]?.read
  return read ? anyOf(read, table, caller) : sql`1`
}

/** The row that a rule reads in another table, under a name of its own. */
export function linkOf({ table: other, by = '' }: Via, table: SharedTable) {
  const target = alias(other, `${getTableName(table)}_${by}`) as unknown as SharedTable
  return { target, isLinked: sql`${target.orgId} = ${table.orgId} and ${target.id} = ${columnOf(table, by)}` }
}

/** A table under the name that `linkOf` gave it, for FROM. */
export const namedAs = ({ table }: Via, target: SharedTable): SQL =>
  sql`${sql.identifier(originalName(table))} ${sql.identifier(getTableName(target))}`

/** The condition of `rowIs`, without the organization. */
export const rowIsSql = ({ values }: { values: Readonly<Record<string, unknown>> }, table: SharedTable): SQL =>
  sql.join(
    Object.entries(values).map(([name, value]) => isOneOf(columnOf(table, name), value)),
    sql` and `,
  )

/**
 * Returns the caller's rights on a row that `accessibleTo` has found, as columns of 0 and 1: update it, delete it, and write each
 * field that has a rule. Empty for a table without a policy.
 */
export function canColumns(table: SharedTable, caller: Caller): Record<string, SQL<number>> {
  const policy = policyOf(table)
  if (!policy) return {}
  const { rules, fields } = policy
  const update = anyOf(rules.update, table, caller)
  return {
    update: asNumber(update),
    delete: asNumber(anyOf(rules.delete, table, caller)),
    ...Object.fromEntries(
      Object.keys(fields).map(name => [name, asNumber(sql`(${update} and ${mayWrite(table, caller, name)})`)]),
    ),
  }
}

// A comparison with null is null.
const asNumber = (condition: SQL): SQL<number> => sql<number>`coalesce(${condition}, 0)`

/**
 * Returns the condition that any of these parts allows it. If rows always have an organization, the whole condition is limited to
 * the caller's, so that an index on it serves the list. `moved` are teams that the row will have.
 */
export function anyOf(parts: readonly Part[], table: SharedTable, caller: Caller, moved: Changes = {}): SQL {
  const isInOrg = sql`${table.orgId} = ${caller.orgId}`
  if (parts.length === 0) return sql`0`
  if (!isOwnable(table) && parts.some(({ kind }) => kind === 'member')) return isInOrg
  const any = sql.join(
    parts.map(part => partOf(part, table, caller, moved)),
    sql` or `,
  )
  return isOwnable(table) ? sql`(${any})` : sql`(${isInOrg} and (${any}))`
}

function partOf(part: Part, table: SharedTable, caller: Caller, moved: Changes): SQL {
  const isInOrg = sql`${table.orgId} = ${caller.orgId}`
  const { email, userId, orgId, appId, isPerson } = keysOf(caller)
  switch (part.kind) {
    case 'member':
      return isInOrg
    case 'orgRole':
      return sql`(${isInOrg} and ${orgRoleOf(orgId, userId)} in (${listed(part.roles)}))`
    case 'appRole':
      return sql`(${isInOrg} and ${appRoleOf(orgId, userId, appId)} in (${listed(part.roles)}))`
    case 'permission':
      return sql`(${isInOrg} and ${holdsFor(part, table, caller, moved)})`
    case 'person':
      return sql`(${personColumn(table, part.column)} = ${email} and ${isNearby(table, { orgId, isPerson })})`
    case 'shared':
      return isOwnable(table) ? sharedWith(table, caller, part.role) : sql`0`
    case 'team':
      return sql`(${isInOrg} and ${teamIn(table, part.column, moved)} in (${teamsOf(orgId, userId)}))`
    case 'rowIs':
      return sql`(${isInOrg} and ${rowIsSql(part, table)})`
    case 'via': {
      const { target, isLinked } = linkOf(part, table)
      return sql`(${isInOrg} and exists (select 1 from ${namedAs(part, target)}
        where ${isLinked} and ${anyOf(part.parts, target, caller)}))`
    }
    case 'all':
      return sql`(${sql.join(
        part.parts.map(each => partOf(each, table, caller, moved)),
        sql` and `,
      )})`
  }
}

/** Whether the caller holds a permission for all rows, for the team of this row, or for a team that it is shared with. */
function holdsFor(part: PermissionPart, table: SharedTable, caller: Caller, moved: Changes): SQL {
  const { userId, orgId, appId, carried } = keysOf(caller)
  const holder = { orgId, id: userId, appId, carried }
  const teams = teamsWith(holder, part.name)
  const isOfTeam = (part.columns ?? []).map(name => sql`${teamIn(table, name, moved)} in (${teams})`)
  const isShared = sql`${table.id} in (select resource_id from shares
    where user_id in (${teams}) and resource = ${originalName(table)})`
  const all = [holds(holder, part.name), ...isOfTeam, ...(isOwnable(table) ? [isShared] : [])]
  return sql`(${sql.join(all, sql` or `)})`
}

/** The team that a column names, or will name. */
function teamIn(table: SharedTable, name: string, moved: Changes): SQL {
  const column = columnOf(table, name)
  return Object.hasOwn(moved, name) ? sql`${new Param(moved[name], column)}` : sql`${column}`
}

/** Whether a row is in the caller's organization, or in none: personal rows of people. A service account has none. */
const isNearby = (
  table: SharedTable,
  { orgId, isPerson }: Pick<ReturnType<typeof keysOf>, 'orgId' | 'isPerson'>,
): SQL => sql`(${table.orgId} = ${orgId} or (${table.orgId} is null and ${isPerson}))`

const listed = (texts: readonly string[]): SQL =>
  sql.join(
    texts.map(text => sql.raw(`'${text.replaceAll("'", "''")}'`)),
    sql`, `,
  )

const isOneOf = (column: SQLiteColumn, value: unknown): SQL =>
  sql`(${sql.join(
    [value].flat().map(each => sql`${column} is ${new Param(each, column)}`),
    sql` or `,
  )})`

/**
 * Returns the rows that the caller owns, that are shared with them or one of their teams with at least this role, or that their
 * visibility allows.
 */
export function sharedWith(table: OwnableTable, caller: Caller, role: ShareRole): SQL {
  const { email, userId, orgId, isPerson } = keysOf(caller)
  const isOwn = sql`(${table.ownerEmail} = ${email} and ${isNearby(table, { orgId, isPerson })})`
  const enough = listed(SHARE_ROLES.slice(SHARE_ROLES.indexOf(role)))
  const isShared = sql`(${table.orgId} = ${orgId} and ${table.id} in (select resource_id from shares
    where user_id in (${holdersOf(orgId, userId)}) and resource = ${originalName(table)} and role in (${enough})))`
  const opening = OPENING[role]
  if (opening === null) return sql`(${isOwn} or ${isShared})`
  return sql`(${isOwn} or ${isShared} or (${table.orgId} = ${orgId} and ${table.visibility} ${sql.raw(opening)}))`
}

// The visibility of a row allows every member of the organization to read or change it, never to share or delete it.
const OPENING = { viewer: `in ('org', 'org-edit')`, editor: `= 'org-edit'`, admin: null } as const

/** Whether all members of the row's organization may read it, as a column: 0 or 1. */
export function isOpenRow(table: SharedTable): SQL<number> {
  const read = policyOf(table)?.rules.read
  const has = (kind: Part['kind']) => read?.some(part => part.kind === kind) === true
  if (has('member') || (!read && !isOwnable(table))) return sql<number>`1`
  return isOwnable(table) && (!read || has('shared'))
    ? sql<number>`${table.visibility} in ('org', 'org-edit')`
    : sql<number>`0`
}
