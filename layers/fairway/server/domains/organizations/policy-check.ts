// Evaluates a policy for one row in code: for rows that are not written yet, and to name who is allowed in an error. A test with
// random rows and people compares it with the SQL of `row-access`.
import { and, eq, getTableName, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Orm } from '#fairway/server/kernel/database/client'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import { appRoleOf, holdersOf, orgRoleOf, principalOf, teamsOf } from './service-accounts/principal'
import { appOfRun } from './caller'
import { carriedInRun, heldAmong, heldForTeams } from './permissions'
import { type Part, permissionsIn, POLICY_ACTIONS, type PolicyAction, policyOf, teamColumnsIn } from './policy'
import { fieldForbidden, forbidden } from './policy-words'
import {
  accessibleTo,
  type Changes,
  columnOf,
  isOwnable,
  movedTeams,
  ruledChanges,
  SHARE_ROLES,
  type SharedTable,
  type ShareRole,
} from './row-access'

type Row = Readonly<Record<string, unknown>>

/** The properties of a person that rules check. */
export interface Principal {
  email: string
  orgId: string | null
  orgRole: string | null
  appRole: string | null
  /** Their highest share of the row, shares of their teams included. */
  share: ShareRole | null
  /** The IDs of their teams. */
  teams: readonly string[]
  /** The permissions that they hold, of those that the policy names. */
  permissions?: readonly string[]
  /** The teams for whose rows they hold each of them. */
  ofTeams?: ReadonlyMap<string, readonly string[]>
  /** Those of their teams that the row is shared with. */
  sharedTeams?: readonly string[]
  /** Whether it is a service account, which has no rows outside its organization. */
  isAccount?: boolean
  /** The rows that `via()` reads, of one row; missing ones allow nothing. */
  referenced?: ReadonlyMap<Part, Row>
}

/** Whether any of these parts allows it; `row` has the columns by their names in code. */
const isAllowed = (parts: readonly Part[], row: Row, person: Principal): boolean =>
  parts.some(part => isMet(part, row, person))

function isMet(part: Part, row: Row, person: Principal): boolean {
  const isInOrg = row.orgId !== null && row.orgId === person.orgId
  if (part.kind === 'all') return part.parts.every(each => isMet(each, row, person))
  if (part.kind === 'via') {
    const target = person.referenced?.get(part)
    // The shares are those of the row itself.
    return isInOrg && target !== undefined && isAllowed(part.parts, target, { ...person, share: null, sharedTeams: [] })
  }
  if (part.kind === 'shared') return isShared(part.role, row, person)
  if (part.kind === 'person')
    return (isInOrg || isPersonal(row, person)) && addressIn(row, part.column) === person.email
  return isInOrg && isMetInOrg(part, row, person)
}

function isMetInOrg(
  part: Exclude<Part, { kind: 'all' | 'shared' | 'person' | 'via' }>,
  row: Row,
  person: Principal,
): boolean {
  if (part.kind === 'member') return true
  if (part.kind === 'team') return person.teams.includes(String(row[part.column]))
  if (part.kind === 'rowIs')
    return Object.entries(part.values).every(([name, value]) => [value].flat().some(each => isSame(row[name], each)))
  if (part.kind === 'permission') return isHeldFor(part, row, person)
  return part.roles.includes((part.kind === 'orgRole' ? person.orgRole : person.appRole) ?? '')
}

function isHeldFor(part: Extract<Part, { kind: 'permission' }>, row: Row, person: Principal): boolean {
  const { permissions = [], ofTeams, sharedTeams = [] } = person
  const teams = ofTeams?.get(part.name) ?? []
  const ofRow = [...(part.columns ?? []).map(name => row[name]), ...sharedTeams]
  return permissions.includes(part.name) || ofRow.some(team => teams.includes(String(team)))
}

/** Returns the address in a column of people; `owner` also means `ownerEmail` of `ownableColumns()`. */
export const addressIn = (row: Row, name: string): unknown =>
  row[name] ?? (name === 'owner' ? row.ownerEmail : undefined)

const isPersonal = (row: Row, { isAccount = false }: Principal): boolean => row.orgId === null && !isAccount

function isShared(role: ShareRole, row: Row, person: Principal): boolean {
  const { email, orgId, share } = person
  const isInOrg = row.orgId !== null && row.orgId === orgId
  if (row.ownerEmail === email && (isPersonal(row, person) || isInOrg)) return true
  if (!isInOrg) return false
  if (share !== null && SHARE_ROLES.indexOf(share) >= SHARE_ROLES.indexOf(role)) return true
  return (row.visibility === 'org-edit' && role !== 'admin') || (row.visibility === 'org' && role === 'viewer')
}

const isSame = (one: unknown, other: unknown): boolean =>
  one instanceof Date && other instanceof Date ? one.getTime() === other.getTime() : (one ?? null) === (other ?? null)

/** Whether a person may do this with an existing row, by the policy of its table. */
export function mayWith(
  table: SQLiteTable,
  action: Exclude<PolicyAction, 'create'>,
  row: Row,
  person: Principal,
): boolean {
  const policy = policyOf(table)
  if (!policy) return true
  return (
    isAllowed(policy.rules.read, row, person) && (action === 'read' || isAllowed(policy.rules[action], row, person))
  )
}

/** Returns the changed fields that the person may not write. A field that they can read may be sent with its current value. */
export const refusedFields = (table: SQLiteTable, changes: Changes, row: Row, person: Principal): string[] =>
  ruledChanges(table, changes)
    .filter(([name, value]) => {
      const { read, write = [] } = policyOf(table)?.fields[name] ?? {}
      const stays = isSame(row[name], value) && (!read || isAllowed(read, row, person))
      return !stays && !isAllowed(write, row, person)
    })
    .map(([name]) => name)

/** Whether the update is also allowed in the teams that the changes give the row. */
export function mayMove(table: SQLiteTable, changes: Changes, row: Row, person: Principal): boolean {
  const moved = movedTeams(table, changes)
  return !moved || isAllowed(policyOf(table)?.rules.update ?? [], { ...row, ...moved }, person)
}

/** Returns the properties of this person that rules check; for a row, also their share of it. */
export async function personOf(db: Orm, table: SharedTable, session: Session, id: string | null): Promise<Principal> {
  const { orgId } = session
  const { email, userId, isPerson } = principalOf(session)
  const holder = { orgId, id: userId, appId: appOfRun(), carried: carriedInRun() }
  type Found = Pick<Principal, 'orgRole' | 'appRole' | 'share'> &
    Record<'teams' | 'held' | 'ofTeams' | 'sharedTeams', string>
  const names = permissionsIn(table)
  const isOfRow = sql`resource = ${getTableName(table)} and resource_id = ${id}`
  const [standing] = await db.all<Found>(sql`select
    ${orgRoleOf(orgId, userId)} as orgRole,
    ${appRoleOf(orgId, userId, appOfRun())} as appRole,
    ${heldAmong(holder, names)} as held,
    ${heldForTeams(holder, names)} as ofTeams,
    (select json_group_array(user_id) from shares where ${isOfRow} and user_id in (${teamsOf(orgId, userId)})) as sharedTeams,
    (select min(role) from shares where ${isOfRow} and user_id in (${holdersOf(orgId, userId)})) as share,
    (select json_group_array(team_id) from (${teamsOf(orgId, userId)})) as teams`)
  const { orgRole = null, appRole = null, share = null } = standing ?? {}
  const listIn = <Item>(text: string | undefined): Item[] => JSON.parse(text ?? '[]')
  const pairs = Map.groupBy(listIn<[name: string, team: string]>(standing?.ofTeams), ([name]) => name)
  return {
    email,
    orgId,
    orgRole,
    appRole,
    share,
    teams: listIn(standing?.teams),
    permissions: listIn(standing?.held),
    ofTeams: new Map([...pairs].map(([name, all]) => [name, all.map(([, team]) => team)])),
    sharedTeams: isOwnable(table) ? listIn(standing?.sharedTeams) : [],
    ...(isPerson ? {} : { isAccount: true }),
  }
}

/** Reads the rows that `via()` in the policy of a table names for this row. */
export async function referencedRows(db: Orm, table: SQLiteTable, row: Row): Promise<Map<Part, Row>> {
  const policy = policyOf(table)
  const { read = [], update = [], delete: remove = [] } = policy?.rules ?? {}
  const ofFields = Object.values(policy?.fields ?? {}).flatMap(field => field.read ?? [])
  const targets = new Map<Part, Row>()
  await readReferenced(db, row, [...read, ...update, ...remove, ...ofFields], targets)
  return targets
}

async function readReferenced(db: Orm, row: Row, parts: readonly Part[], targets: Map<Part, Row>): Promise<void> {
  for (const part of parts) {
    if (part.kind === 'all') await readReferenced(db, row, part.parts, targets)
    if (part.kind !== 'via') continue
    const { table } = part
    const [target] = await db
      .select()
      .from(table)
      .where(and(eq(table.id, row[part.by ?? '']), eq(table.orgId, row.orgId)))
    if (!target) continue
    targets.set(part, target)
    await readReferenced(db, target, part.parts, targets)
  }
}

/** Returns what the policy of a table lets every member of the organization do with every row. */
export function membersMay(table: SQLiteTable): PolicyAction[] {
  const rules = policyOf(table)?.rules
  const isForMembers = (action: PolicyAction) => !rules || rules[action].some(({ kind }) => kind === 'member')
  // Changing or deleting a row requires reading it.
  return POLICY_ACTIONS.filter(action => isForMembers(action) && (action === 'create' || isForMembers('read')))
}

/** Whether the policy of a table lets the caller create rows; true for a table without one. */
export async function mayCreate(db: Orm, table: SharedTable, session: Session | null): Promise<boolean> {
  const create = policyOf(table)?.rules.create
  if (!create) return true
  if (!session?.orgId) return false
  // Everyone who works in the organization is a member of it.
  if (create.some(({ kind }) => kind === 'member')) return true
  const { orgId } = session
  const person = await personOf(db, table, session, null)
  // For one of their teams, where the team of the row decides.
  const rows = [undefined, ...person.teams].map(team => {
    return { orgId, ...Object.fromEntries(teamColumnsIn(create).map(column => [column, team])) }
  })
  return rows.some(row => isAllowed(create, row, person))
}

/**
 * Throws `unauthenticated`, `no-organization`, and `forbidden` unless the policy of the table lets the caller create a row with
 * these values. A field with a rule may always be omitted or have its default.
 */
export async function requireCreate(
  db: Orm,
  table: SharedTable,
  session: Session | null,
  values: Changes = {},
): Promise<void> {
  const check = await createCheck(db, table, session)
  check(values)
}

/** The same for many rows: returns a function that throws for values that the caller may not create a row with. */
export async function createCheck(
  db: Orm,
  table: SharedTable,
  session: Session | null,
): Promise<(values: Changes) => void> {
  if (!session) throw new AppError('unauthenticated')
  const policy = policyOf(table)
  if (!policy) return () => {}
  if (!session.orgId) throw new AppError('no-organization')
  const { orgId } = session
  const person = await personOf(db, table, session, null)
  const { email } = person
  const defaults = Object.fromEntries(
    Object.keys(policy.fields).map(name => [name, columnOf(table, name).default ?? null]),
  )
  return values => {
    const row = { ...values, orgId, createdBy: email, ownerEmail: email }
    if (!isAllowed(policy.rules.create, row, person)) throw forbidden('create', policy.rules.create, row)
    const set = Object.fromEntries(Object.entries(values).filter(([name, value]) => !isSame(defaults[name], value)))
    const [field] = refusedFields(table, set, { ...row, ...defaults }, person)
    if (field !== undefined) throw fieldForbidden(table, field, row)
  }
}

interface Denied {
  id: string
  to: 'update' | 'delete'
  changes?: Changes
}

/**
 * Returns the error for a conditional write that found no row: `not-found` when the caller may not read it. When they may only
 * read it, the error is `forbidden` and names who is allowed.
 */
export async function accessDenied(
  db: Orm,
  table: SharedTable,
  session: Session,
  { id, to, changes = {} }: Denied,
): Promise<AppError> {
  const policy = policyOf(table)
  const [row] = await db
    .select()
    .from(table)
    .where(and(eq(table.id, id), accessibleTo(table, session)))
  if (!row || !policy) return new AppError('not-found')
  const person = { ...(await personOf(db, table, session, id)), referenced: await referencedRows(db, table, row) }
  if (!mayWith(table, to, row, person)) return forbidden(to, policy.rules[to], row)
  if (to === 'update' && !mayMove(table, changes, row, person))
    return forbidden('update', policy.rules.update, { ...row, ...changes })
  const [field] = refusedFields(table, changes, row, person)
  // The caller has gained the right since the write was refused.
  return field === undefined ? new AppError('conflict') : fieldForbidden(table, field, row)
}
