import { forgetSharesSql, orgsOf } from '#fairway/server/domains/organizations'
import { HOOK_SETTING, LOCAL_PEOPLE, onceSettingSql } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { inTransaction } from '#fairway/server/kernel/database/in-transaction'
import { DEV_EMAIL, LEGACY_LOCAL_EMAIL } from '#fairway/server/kernel/config/config'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { quoteName } from '#fairway/server/kernel/database/sql-text'
import type { Session } from '#fairway/shared/schemas/session'
import type { InValue, ResultSet } from '#fairway/server/kernel/database/client'

type Target = Pick<Session, 'userId' | 'email' | 'orgId'>
type Counts = Record<string, number>

/** The previous owners of the data and the new one. */
export interface LocalMigrationPeople {
  /** The local identities: the development account and that of older applications. Some addresses have no account. */
  from: { userIds: readonly string[]; emails: readonly string[] }
  /** The account that takes over, and its current organization. */
  to: { userId: string; email: string; orgId: string | null }
}

/** The moved rows and those that the account already had (`kept`), for each table. */
interface LocalMove {
  moved: Counts
  kept: Counts
  targetEmail: string
  /** The previous owners and the new one. */
  people: LocalMigrationPeople
  /** True for the one move that must call the template's hook. */
  isHookDue: boolean
}

/** How many rows of each table a move to this account would change now. */
export async function countLocalData(app: App, target: Target): Promise<{ available: boolean; tables: Counts }> {
  const run = toRun(app.db.client)
  const values = moveValues(await findLocalPeople(run), target)
  const tables: Counts = {}
  for (const table of await findLocalTables(app, run)) {
    tables[table.name] = await count(run, moveStatements(table).count, values)
  }
  return { available: Object.values(tables).some(rows => rows > 0), tables }
}

/**
 * Moves all data of the local identities to this account in one transaction. Rows that the account already has are kept. Only
 * one of several concurrent calls moves data. Throws `local-rows-refused` when a constraint of a table rejects a row; nothing
 * is moved then.
 */
export async function moveLocalData(app: App, target: Target, { hasHook }: { hasHook: boolean }): Promise<LocalMove> {
  const { from, isHookDue, ...move } = await inTransaction(app, async on => {
    const run = toRun(on)
    const from = await findLocalPeople(run)
    const moved = await moveTables(app, run, moveValues(from, target))
    return { ...moved, from, isHookDue: hasHook && (await claimHook(run, target.userId)) }
  })
  const { userId, email, orgId } = target
  app.log.info('local data moved', { userId, ...move })
  return { ...move, targetEmail: email, people: { from, to: { userId, email, orgId } }, isHookDue }
}

async function moveTables(app: App, run: Run, values: MoveValues): Promise<{ moved: Counts; kept: Counts }> {
  const moved: Counts = {}
  const keptCounts: Counts = {}
  for (const table of await findLocalTables(app, run)) {
    const rows = await moveTable(run, table, values)
    moved[table.name] = rows.moved
    keptCounts[table.name] = rows.kept
  }
  return { moved, kept: keptCounts }
}

async function moveTable(run: Run, table: LocalTable, values: MoveValues): Promise<{ moved: number; kept: number }> {
  const statements = moveStatements(table)
  if (statements.forgetShares) await run(statements.forgetShares, values)
  const moved = (await run(statements.move, values)).rowsAffected
  const alreadyThere = statements.dropKnown ? (await run(statements.dropKnown, values)).rowsAffected : 0
  const left = await count(run, statements.count, values)
  if (left === 0) return { moved, kept: alreadyThere }
  throw new AppError('local-rows-refused', {
    detail: `Nothing was moved: ${left} rows of the table ${table.name} are refused by a rule of its own.`,
  })
}

type MoveValues = Record<'localIds' | 'localEmails' | 'targetId' | 'targetEmail' | 'targetOrg', string | null>

/** The local identities in this database. */
async function findLocalPeople(run: Run): Promise<LocalMigrationPeople['from']> {
  const { rows } = await run(LOCAL_PEOPLE)
  const emails = new Set([DEV_EMAIL, LEGACY_LOCAL_EMAIL, ...rows.map(row => String(row.email))])
  return { userIds: rows.map(row => String(row.id)), emails: [...emails] }
}

function moveValues({ userIds, emails }: LocalMigrationPeople['from'], target: Target): MoveValues {
  return {
    localIds: JSON.stringify(userIds),
    localEmails: JSON.stringify(emails),
    targetId: target.userId,
    targetEmail: target.email,
    targetOrg: target.orgId,
  }
}

const count = async (run: Run, sql: string, values: MoveValues): Promise<number> =>
  Number((await run(sql, values)).rows[0]?.n)

/** A table with rows that belong to an account, and how to move them to another one. */
interface LocalTable {
  name: string
  /** The column with the owner of a row: an id in our own tables, an address in the author's. */
  owner: 'user_id' | 'owner_email'
  hasId: boolean
  hasOrg: boolean
  hasVisibility: boolean
  /** An SQL condition for the rows that move. */
  condition: string
  /** The columns of each unique constraint. */
  uniques: string[][]
}

const FIND = `
  select m.name as name, max(lower(c.name) = 'owner_email') as hasOwner, max(lower(c.name) = 'id') as hasId,
    max(lower(c.name) = 'org_id') as hasOrg, max(lower(c.name) = 'visibility') as hasVisibility
  from sqlite_master m join pragma_table_info(m.name) c
  where m.type = 'table' group by m.name order by m.name`

const FIND_UNIQUES = `
  select i.name as rule, c.name as name from pragma_index_list(:table) i join pragma_index_info(i.name) c
  where i."unique" = 1 and c.name is not null order by i.name, c.seqno`

/**
 * The tables that domains declare (`movesWithPerson`), as far as they exist in this database, and every table with an
 * `owner_email` column. Views are excluded.
 */
async function findLocalTables({ dependents }: App, run: Run): Promise<LocalTable[]> {
  const ours = new Map(dependents.flatMap(rows => Object.entries(rows.movesWithPerson ?? {})))
  const { rows } = await run(FIND)
  const tables: LocalTable[] = []
  for (const row of rows) {
    const name = String(row.name)
    if (!ours.has(name) && row.hasOwner !== 1) continue
    tables.push({
      name,
      owner: ours.has(name) ? 'user_id' : 'owner_email',
      hasId: row.hasId === 1,
      hasOrg: row.hasOrg === 1,
      hasVisibility: row.hasVisibility === 1,
      condition: ours.get(name) ?? '1',
      uniques: await findUniques(run, name),
    })
  }
  return tables
}

async function findUniques(run: Run, table: string): Promise<string[][]> {
  const { rows } = await run(FIND_UNIQUES, { table })
  const byRule = Map.groupBy(rows, row => String(row.rule))
  return [...byRule.values()].map(columns => columns.map(({ name }) => String(name).toLowerCase()))
}

/**
 * The statements that move the rows of one table to another account. Their values: `localIds`, `localEmails` (JSON lists),
 * `targetId`, `targetEmail` and `targetOrg`.
 */
interface MoveStatements {
  /** Counts the rows to move; after the other statements, the rows that a constraint rejected. */
  count: string
  /** Deletes shares of moved rows that belong to the new owner or to people of the old organization. */
  forgetShares?: string
  /** Moves all rows except those that the target already has. */
  move: string
  /** Deletes the local copies of rows that the target already has. */
  dropKnown?: string
}

const TARGET_ORGS = orgsOf('= :targetId')
const ORGS_OF_OTHERS = orgsOf('not in (select value from json_each(:localIds))')
const NEW_ORG = `(${TARGET_ORGS} and org_id = :targetOrg)`

/** Writes the statements for one table. */
function moveStatements(table: LocalTable): MoveStatements {
  const name = quoteName(table.name)
  const isMovable = movable(table)
  const known = table.uniques.filter(columns => columns.includes(table.owner)).map(rule => isKnown(table, rule))
  return {
    count: `select count(*) as n from ${name} where ${isMovable}`,
    forgetShares: table.hasId && table.owner === 'owner_email' ? forgetShares(table) : undefined,
    move: `update or ignore ${name} set ${assignments(table)} where ${isMovable}`,
    dropKnown: known.length > 0 ? `delete from ${name} where ${isMovable} and (${known.join(' or ')})` : undefined,
  }
}

function movable({ name, owner, hasOrg, condition }: LocalTable): string {
  const locals = owner === 'user_id' ? ':localIds' : ':localEmails'
  const isLocal = `${quoteName(name)}.${owner} in (select value from json_each(${locals})) and ${condition}`
  return hasOrg ? `${isLocal} and not ${staysInOrg(name)}` : isLocal
}

// Rows in an organization of other people stay there until the person is a member too.
const staysInOrg = (name: string): string =>
  `(${leavesOrg(name)} and exists (${ORGS_OF_OTHERS} and org_members.org_id = ${quoteName(name)}.org_id))`

/** Whether the target could not see the row in its current organization. */
const leavesOrg = (name: string): string =>
  `(coalesce(${quoteName(name)}.org_id, '') <> '' and ${quoteName(name)}.org_id not in (${TARGET_ORGS}))`

/** The new values of the columns that change. */
function changes(table: LocalTable): Record<string, string> {
  const isOurs = table.owner === 'user_id'
  const owner: Record<string, string> = isOurs ? { user_id: ':targetId' } : { owner_email: ':targetEmail' }
  if (!table.hasOrg) return owner
  const name = quoteName(table.name)
  const place = `case when ${leavesOrg(table.name)} then ${NEW_ORG} else ${name}.org_id end`
  // In an author's table, "no organization" is null. In ours it is the empty string, because the column is part of the key.
  const org = isOurs ? `coalesce(${place}, '')` : place
  // A row visible to everyone was visible only to its owner here. In another organization, other people would see it.
  const visibility = `case when ${name}.visibility <> 'private' and ${leavesOrg(table.name)} then 'private' else ${name}.visibility end`
  return { ...owner, org_id: org, ...(table.hasVisibility ? { visibility } : {}) }
}

const assignments = (table: LocalTable): string =>
  Object.entries(changes(table))
    .map(([column, value]) => `${column} = ${value}`)
    .join(', ')

/** Whether the target already has a row that collides with this one under a unique constraint. */
function isKnown(table: LocalTable, rule: string[]): string {
  const changed = changes(table)
  const same = rule.map(
    column => `t.${quoteName(column)} = ${changed[column] ?? `${quoteName(table.name)}.${quoteName(column)}`}`,
  )
  return `exists (select 1 from ${quoteName(table.name)} t where ${same.join(' and ')})`
}

function forgetShares(table: LocalTable): string {
  const name = quoteName(table.name)
  const gone = table.hasOrg ? `shares.user_id = :targetId or ${leavesOrg(table.name)}` : 'shares.user_id = :targetId'
  const isMoved = `select 1 from ${name} where ${name}.id = shares.resource_id and ${movable(table)} and (${gone})`
  return forgetSharesSql(table.name, `exists (${isMoved})`)
}

/** Runs one statement with named values, inside or outside a transaction. */
export type Run = (sql: string, values?: Record<string, InValue>) => Promise<Pick<ResultSet, 'rows' | 'rowsAffected'>>

/** `Run` over a client or a transaction. Sends only the values that the statement names. */
const toRun =
  (on: { execute(statement: { sql: string; args: Record<string, InValue> }): Promise<ResultSet> }): Run =>
  (sql, values = {}) =>
    on.execute({ sql, args: Object.fromEntries(Object.entries(values).filter(([name]) => sql.includes(`:${name}`))) })

/** True for the first caller in this database, so that the template's hook runs once. */
async function claimHook(run: Run, userId: string): Promise<boolean> {
  const { rowsAffected } = await run(onceSettingSql(HOOK_SETTING).set, { userId })
  return rowsAffected === 1
}

/** After a failure, lets the next move call the hook again. */
export async function releaseHook(app: App): Promise<void> {
  await app.db.client.execute(onceSettingSql(HOOK_SETTING).clear)
}
