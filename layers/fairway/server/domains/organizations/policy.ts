// The policy of a table: who may read, create, update and delete its rows. It is declared next to the table, in a file that
// drizzle-kit reads too, so all code that imports the table has its policy.
import { getTableColumns, getTableName } from 'drizzle-orm'
import { getTableConfig, type SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import { z } from 'zod'
import { CREATOR_TYPE, PERSON_TYPE, TEAM_TYPE } from '../../kernel/owned-rows'
import { checkPermission } from '../../kernel/permissions'

/** The actions that a policy decides. */
export const POLICY_ACTIONS = ['read', 'create', 'update', 'delete'] as const
export type PolicyAction = (typeof POLICY_ACTIONS)[number]

/** One parsed condition of a rule. */
export type Part =
  /** With `everyone`, visitors too: it opens the row or the field in public collections. */
  | { kind: 'member'; everyone?: true }
  | { kind: 'orgRole'; roles: readonly string[] }
  | { kind: 'appRole'; roles: readonly string[] }
  /** `columns` are those of the table that name a team; `definePolicy` finds them. */
  | { kind: 'permission'; name: string; columns?: readonly string[] }
  | { kind: 'person'; column: string }
  | { kind: 'shared'; role: 'viewer' | 'editor' | 'admin' }
  | { kind: 'team'; column: string }
  | { kind: 'rowIs'; values: Readonly<Record<string, unknown>> }
  | { kind: 'all'; parts: readonly Part[] }
  | Via

/** A rule for the row that this row refers to. */
export interface Via {
  kind: 'via'
  table: PolicyTable
  parts: readonly Part[]
  /** The column that refers to it, by its name in code; `definePolicy` finds it when there is only one. */
  by?: string
}

/**
 * `'member'`, `'everyone'` (for reading: visitors too), `'admin'` (owners too), `'creator'`, the name of a `person()` column
 * (`'owner'` is that of `ownableColumns()`), or the result of a function below.
 */
type Named = string
type OnePart = Named | Part
/** Any one of these allows it; an empty list allows no one. */
export type Rule = OnePart | readonly OnePart[]

interface FieldRule {
  /** Who can read the value; others see null. */
  read?: Rule
  /** Who may set or change the value. */
  write?: Rule
}

interface Policy {
  rules: Readonly<Record<PolicyAction, readonly Part[]>>
  /** Rules of fields that are narrower than the rules of the row. */
  fields: Readonly<Record<string, { read?: readonly Part[]; write?: readonly Part[] }>>
}

/** Requires one of these roles in this application (`defineAppRoles`). */
export const appRole = (...roles: string[]): Part => ({ kind: 'appRole', roles })
/**
 * Requires this permission (`definePermissions`): in the organization, or for the team of the row. That is a team that a column of
 * `teamColumn()` names, or with which the row is shared. Throws for an undeclared one, with the names there are.
 */
export const permission = (name: string): Part => ({ kind: 'permission', name: checkPermission('permission', name) })
/** Requires at least this role in the organization: `owner` means owners only. */
export const orgRole = (least: 'owner' | 'admin'): Part => ({
  kind: 'orgRole',
  roles: least === 'owner' ? ['owner'] : ['owner', 'admin'],
})
/** Requires at least this role on the row, by `ownableColumns()` and shares. The owner has all roles. */
export const shared = (role: 'viewer' | 'editor' | 'admin'): Part => ({ kind: 'shared', role })
/** Requires the team that this column of the row names, made by `teamColumn()`: everyone who is in that team. */
export const team = (column = 'teamId'): Part => ({ kind: 'team', column })
/** Requires these values in the row's columns: `{ status: 'open' }`, or one of several: `{ status: ['open', 'won'] }`. */
export const rowIs = (values: Record<string, unknown>): Part => ({ kind: 'rowIs', values })
/** Requires all of these together, for example the creator while the row is open. */
export const allOf = (...parts: OnePart[]): Part => ({ kind: 'all', parts: parts.map(toPart) })

/**
 * Requires this rule of the row that the row refers to: `via(lessons, 'teacher')` in the policy of bookings means the teacher of
 * the lesson. `by` names the column, if several refer to that table.
 */
export const via = (table: PolicyTable, rule: Rule, { by }: { by?: string } = {}): Part => ({
  kind: 'via',
  table,
  parts: toParts(rule),
  ...(by !== undefined && { by }),
})

const toPart = (part: OnePart): Part => {
  if (typeof part !== 'string') return part
  if (part === 'member') return { kind: 'member' }
  if (part === 'everyone') return { kind: 'member', everyone: true }
  return part === 'admin' ? orgRole('admin') : { kind: 'person', column: part === 'creator' ? 'createdBy' : part }
}

const toParts = (rule: Rule): readonly Part[] => (Array.isArray(rule) ? rule : [rule as OnePart]).map(toPart)

const POLICY = Symbol.for('fairway.policy')

// As with the symbol, a file of tables may be loaded beside the server's copy of this module.
const RULED = Symbol.for('fairway.ruled-tables')

/** The tables with rules for reading fields, by name. */
export function ruledTables(): Map<string, PolicyTable> {
  const known: Map<string, PolicyTable> | undefined = Reflect.get(globalThis, RULED)
  const tables = known ?? new Map<string, PolicyTable>()
  if (!known) Reflect.set(globalThis, RULED, tables)
  return tables
}

/** Returns the policy that was declared for a table; undefined when there is none. */
export const policyOf = (table: SQLiteTable): Policy | undefined => Reflect.get(table, POLICY)

type PolicyTable = SQLiteTable & { id: SQLiteColumn; orgId: SQLiteColumn }

/**
 * Declares who may do what with the rows of a table and attaches it to the table. `accessibleTo`, collections, the audit log,
 * activity and live changes follow it. Rows of another organization are never accessible, and updating or deleting a row requires
 * reading it. Throws at load for a rule that the table's columns cannot decide. Returns the schema of `can` for the items of a
 * collection.
 */
export function definePolicy<const Field extends string = never>(
  table: PolicyTable,
  { fields, ...rules }: Record<PolicyAction, Rule> & { fields?: { readonly [name in Field]: FieldRule } },
) {
  const fieldRules: [string, FieldRule][] = Object.entries(fields ?? {})
  const partsOf = (rule: Rule) => toParts(rule).map(part => linked(table, part))
  const policy: Policy = {
    rules: {
      read: partsOf(rules.read),
      create: partsOf(rules.create),
      update: partsOf(rules.update),
      delete: partsOf(rules.delete),
    },
    fields: Object.fromEntries(
      fieldRules.map(([name, { read, write }]) => [
        name,
        { ...(read && { read: partsOf(read) }), ...(write && { write: partsOf(write) }) },
      ]),
    ),
  }
  const faults = faultsOf(table, policy)
  if (faults.length > 0) throw new Error(`definePolicy: ${getTableName(table)}: ${faults.join('; ')}`)
  Reflect.set(table, POLICY, policy)
  if (Object.values(policy.fields).some(({ read }) => read)) ruledTables().set(getTableName(table), table)
  const shape = Object.fromEntries(['update', 'delete', ...Object.keys(policy.fields)].map(name => [name, z.boolean()]))
  const can = z.object(shape).describe('What the caller may do with it.')
  return { can: can as unknown as z.ZodObject<Record<'update' | 'delete' | Field, z.ZodBoolean>> }
}

/** Returns the app roles and the permissions that the policies of tables name. */
export const namedIn = (tables: readonly SQLiteTable[]): { appRoles: string[]; permissions: string[] } => ({
  appRoles: tables.flatMap(table => partsIn(table).flatMap(part => (part.kind === 'appRole' ? part.roles : []))),
  permissions: tables.flatMap(permissionsIn),
})

/** Returns the permissions that a table's policy names. */
export const permissionsIn = (table: SQLiteTable): string[] =>
  partsIn(table).flatMap(part => (part.kind === 'permission' ? [part.name] : []))

/** All parts of a table's policy, with those that it takes from other rows. */
const partsIn = (table: SQLiteTable): Part[] => {
  const policy = policyOf(table)
  const within = (part: Part): Part[] => (part.kind === 'via' ? flat(part.parts).flatMap(within) : [part])
  return policy ? allParts(policy).flatMap(within) : []
}

/** The columns that refer to a row of another table, by their names in code. */
function linksTo(table: SQLiteTable, other: SQLiteTable): string[] {
  const names = new Map(Object.entries(getTableColumns(table)).map(([name, column]) => [column, name]))
  const keys = getTableConfig(table).foreignKeys.map(key => key.reference())
  return keys.flatMap(({ foreignTable, columns, foreignColumns }) => {
    const column = columns[foreignColumns.findIndex(({ name }) => name === 'id')]
    return foreignTable === other && column ? (names.get(column) ?? []) : []
  })
}

/** The columns made by `teamColumn()`, by their names in code. */
const teamColumnsOf = (table: SQLiteTable): string[] =>
  Object.entries(getTableColumns(table)).flatMap(([name, column]) => (column.getSQLType() === TEAM_TYPE ? [name] : []))

/** The part with the column of each reference in it, and with the columns of teams. */
function linked(table: SQLiteTable, part: Part): Part {
  if (part.kind === 'all') return { ...part, parts: part.parts.map(each => linked(table, each)) }
  if (part.kind === 'permission') return { ...part, columns: teamColumnsOf(table) }
  if (part.kind !== 'via') return part
  const [only, ...others] = linksTo(table, part.table)
  const by = part.by ?? (others.length === 0 ? only : undefined)
  return { ...part, parts: part.parts.map(each => linked(part.table, each)), ...(by !== undefined && { by }) }
}

const flat = (parts: readonly Part[]): Part[] =>
  parts.flatMap(part => (part.kind === 'all' ? flat(part.parts) : [part]))

const allParts = ({ rules, fields }: Policy): Part[] =>
  flat([
    ...Object.values(rules).flat(),
    ...Object.values(fields).flatMap(({ read = [], write = [] }) => [...read, ...write]),
  ])

/** The parts that decide before there is a row. A team decides by the column that the new row will have. */
const BEFORE_CREATING = new Set<Part['kind']>(['member', 'orgRole', 'appRole', 'permission', 'team'])

const CREATING = 'member, admin, orgRole(), appRole(), permission() and team()'

/** The columns of teams by which these parts decide, by their names in code. */
export const teamColumnsIn = (parts: readonly Part[]): string[] =>
  flat(parts).flatMap(part => {
    if (part.kind === 'permission') return part.columns ?? []
    return part.kind === 'team' ? [part.column] : []
  })

function faultsOf(table: SQLiteTable, policy: Policy): string[] {
  const columns: Readonly<Record<string, SQLiteColumn>> = getTableColumns(table)
  const isPerson = (name: string) =>
    name === 'ownerEmail' || name === 'owner' || [PERSON_TYPE, CREATOR_TYPE].includes(columns[name]?.getSQLType() ?? '')
  const parts = allParts(policy)
  const named = [
    ...Object.keys(policy.fields),
    ...parts.flatMap(part => (part.kind === 'rowIs' ? Object.keys(part.values) : [])),
  ]
  const people = parts.flatMap(part =>
    part.kind === 'person' && !(isPerson(part.column) && personColumn(table, part.column)) ? [part.column] : [],
  )
  const teams = teamColumnsOf(table)
  return [
    ...teamColumnsIn(parts)
      .filter(name => !teams.includes(name))
      .map(name => `it has no column ${name} made by teamColumn(); there are: ${teams.join(', ') || 'none'}`),
    ...people.map(
      name =>
        `it has no column ${name} made by person()${name === 'owner' ? "; owners of the organization are orgRole('owner')" : ''}`,
    ),
    ...Object.keys(policy.fields)
      .filter(name => name === 'update' || name === 'delete')
      .map(name => `fields.${name}: can has that name already`),
    ...named.filter(name => !columns[name]).map(name => `it has no column ${name}`),
    ...(parts.some(({ kind }) => kind === 'shared') && !columns.visibility ? ['shared() needs ownableColumns()'] : []),
    ...(flat(policy.rules.create).every(({ kind }) => BEFORE_CREATING.has(kind))
      ? []
      : [`create: there is no row yet, so only these decide: ${CREATING}`]),
    ...parts.flatMap(part => (part.kind === 'via' ? linkFaults(table, part) : [])),
    ...(writes(policy).some(part => part.kind === 'member' && part.everyone)
      ? ["'everyone' is for reading: visitors change nothing"]
      : []),
    ...Object.entries(policy.fields)
      .filter(([, { write = [] }]) => flat(write).some(({ kind }) => kind === 'via'))
      .map(([name]) => `fields.${name}.write: via() is for rows and for reading`),
    ...Object.entries(policy.fields)
      .filter(([name, { read }]) => read && columns[name]?.notNull)
      .map(([name]) => `fields.${name}.read: others see null, which the column does not allow`),
  ]
}

const writes = ({ rules, fields }: Policy): Part[] =>
  flat([...rules.create, ...rules.update, ...rules.delete, ...Object.values(fields).flatMap(({ write = [] }) => write)])

function linkFaults(table: SQLiteTable, { table: other, parts, by }: Via): string[] {
  const name = getTableName(other)
  const links = linksTo(table, other)
  const allowed = links.length > 0 ? `; name one of ${links.join(', ')} with by` : '; declare it with references()'
  if (by === undefined || !links.includes(by)) return [`via(${name}): no single column refers to it${allowed}`]
  const none = { read: [], create: [], update: [], delete: [] }
  return faultsOf(other, { rules: { ...none, read: parts }, fields: {} }).map(fault => `via(${name}): ${fault}`)
}

/** Returns the column of a table that names a person; `owner` also means `ownerEmail` of `ownableColumns()`. */
export const personColumn = (table: SQLiteTable, name: string): SQLiteColumn | undefined => {
  const columns: Readonly<Record<string, SQLiteColumn>> = getTableColumns(table)
  return columns[name] ?? (name === 'owner' ? columns.ownerEmail : undefined)
}
