import type { LocalTable } from './local-tables'

/**
 * The statements that give the rows of one table to another account. Their values: `localIds`, `localEmails` (JSON lists),
 * `targetId`, `targetEmail` and `targetOrg`.
 */
export interface MoveStatements {
  /** How many rows there are to move; after the others, what a rule of the table's own refused. */
  count: string
  /** What others were given of the rows that change their organization. */
  forgetShares?: string
  /** Moves all rows but those that the target has already. */
  move: string
  /** Drops the rows that the target has already. */
  dropKnown?: string
}

// Settings that say something about the account itself; the first has a writer of its own.
const OWN_SETTINGS = `'active-org-id', 'dev-signed-out', 'local-migration-hook'`

const TARGET_ORGS = 'select org_id from org_members where user_id = :targetId'
const ORGS_OF_OTHERS = `select org_id from org_members where user_id not in (select value from json_each(:localIds))`
const NEW_ORG = `(${TARGET_ORGS} and org_id = :targetOrg)`

/** Identifiers come from the database's own schema and may be anything. */
const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Writes the statements for one table. */
export function moveStatements(table: LocalTable): MoveStatements {
  const name = quote(table.name)
  const isMovable = movable(table)
  const known = table.uniques.filter(columns => columns.includes(table.owner)).map(rule => isKnown(table, rule))
  return {
    count: `select count(*) as n from ${name} where ${isMovable}`,
    forgetShares: table.hasId && table.owner === 'owner_email' ? forgetShares(table) : undefined,
    move: `update or ignore ${name} set ${assignments(table)} where ${isMovable}`,
    dropKnown: known.length > 0 ? `delete from ${name} where ${isMovable} and (${known.join(' or ')})` : undefined,
  }
}

function movable({ name, owner, hasOrg }: LocalTable): string {
  const locals = owner === 'user_id' ? ':localIds' : ':localEmails'
  const isLocal = `${quote(name)}.${owner} in (select value from json_each(${locals}))`
  if (name === 'user_settings') return `${isLocal} and key not in (${OWN_SETTINGS})`
  return hasOrg ? `${isLocal} and not ${staysInOrg(name)}` : isLocal
}

// Rows in an organization of other people stay with it until the person belongs to it too.
const staysInOrg = (name: string): string => `(${leavesOrg(name)} and ${quote(name)}.org_id in (${ORGS_OF_OTHERS}))`

/** Whether the target could not see the row in the organization it is in. */
const leavesOrg = (name: string): string =>
  `(coalesce(${quote(name)}.org_id, '') <> '' and ${quote(name)}.org_id not in (${TARGET_ORGS}))`

/** What a moved row has in its columns that change. */
function changes(table: LocalTable): Record<string, string> {
  const isOurs = table.owner === 'user_id'
  const owner: Record<string, string> = isOurs ? { user_id: ':targetId' } : { owner_email: ':targetEmail' }
  if (!table.hasOrg) return owner
  const name = quote(table.name)
  const place = `case when ${leavesOrg(table.name)} then ${NEW_ORG} else ${name}.org_id end`
  // No organization is null in an author's table; in ours it is part of the key, and empty.
  const org = isOurs ? `coalesce(${place}, '')` : place
  // "Everybody here" meant nobody else; in another organization it would be other people.
  const visibility = `case when ${name}.visibility = 'org' and ${leavesOrg(table.name)} then 'private' else ${name}.visibility end`
  return { ...owner, org_id: org, ...(table.hasVisibility ? { visibility } : {}) }
}

const assignments = (table: LocalTable): string =>
  Object.entries(changes(table))
    .map(([column, value]) => `${column} = ${value}`)
    .join(', ')

/** Whether the target has a row already that this one would collide with under one rule. */
function isKnown(table: LocalTable, rule: string[]): string {
  const changed = changes(table)
  const same = rule.map(column => `t.${quote(column)} = ${changed[column] ?? `${quote(table.name)}.${quote(column)}`}`)
  return `exists (select 1 from ${quote(table.name)} t where ${same.join(' and ')})`
}

function forgetShares(table: LocalTable): string {
  const name = quote(table.name)
  const gone = table.hasOrg ? `shares.user_id = :targetId or ${leavesOrg(table.name)}` : 'shares.user_id = :targetId'
  const resource = table.name.replaceAll("'", "''")
  return `delete from shares where resource = '${resource}' and exists (
    select 1 from ${name} where ${name}.id = shares.resource_id and ${movable(table)} and (${gone}))`
}
