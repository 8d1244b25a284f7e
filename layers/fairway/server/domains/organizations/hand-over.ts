// When a membership ends, another member takes over the rows that the member was responsible for in that organization. Nothing is
// deleted.
import { PEOPLE, personJoin, shownPersonSql, toShownPerson } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import type { InStatement, ResultSet } from '#fairway/server/kernel/database/client'
import type { SqlPart } from '#fairway/server/kernel/dependent-rows'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { countByTable, findTables, type TableOfRows, type Runs } from '#fairway/server/kernel/owned-rows'
import { fieldErrors } from '#fairway/shared/field-errors'
import type { HandOver } from '#fairway/shared/schemas/organization'
import type { ShownPerson } from '#fairway/shared/schemas/person'
import { forgetSharesSql } from './sharing'

/** The chosen receivers, by organization: the address of a member. The default is the longest-standing owner who stays. */
export type Receivers = Readonly<Record<string, string>>

/** Whether a hand-over changes rows of this table. */
export const isHandedOver = ({ hasOrg, people }: TableOfRows): boolean => hasOrg && people.length > 0

/** Finds the tables of the application that a hand-over changes. */
export const findHandedOver = async (on: Runs): Promise<TableOfRows[]> => (await findTables(on)).filter(isHandedOver)

/** The longest-standing owner comes first, then the longest-standing member. */
const HEIR_ORDER = `x.role = 'owner' desc, x.joined_at, x.user_id`

/** The tables of memberships; the second has those of deleted organizations. */
type Members = 'org_members' | 'fw_suspended_members'

/**
 * Selects for each of these memberships (`m`) the organization, the leaving address and the receiving address; null when no
 * member stays.
 */
function heirs({ sql, args }: SqlPart, receivers: Receivers, members: Members): SqlPart {
  const leaves = `exists (select 1 from ${members} m where m.rowid = x.rowid and (${sql}))`
  return {
    sql: `select m.org_id as orgId, u.email as leaver, (
        select u.email from ${members} x ${personJoin('x.user_id')} where x.org_id = m.org_id and not ${leaves}
        order by u.email = (select value from json_each(?) where key = x.org_id) desc, ${HEIR_ORDER} limit 1) as heir
      from ${members} m ${personJoin('m.user_id')} where ${sql}`,
    args: [...args, JSON.stringify(receivers), ...args],
  }
}

/**
 * The statements that hand over rows, for the transaction that ends these memberships (`m`), before it ends them. The receiver's
 * own shares on these rows are removed, because the rows now belong to them. Service accounts pass to the receiver as well.
 */
export function handOverStatements(
  tables: readonly TableOfRows[],
  memberships: SqlPart,
  { receivers = {}, members = 'org_members', now }: { receivers?: Receivers; members?: Members; now: number },
): InStatement[] {
  const heir = heirs(memberships, receivers, members)
  return [...ownedRowsStatements(tables, heir), accountsStatement(heir, now)]
}

function accountsStatement({ sql, args }: SqlPart, now: number): InStatement {
  const idOf = (email: string) => `(select u.id from ${PEOPLE} where u.email = ${email})`
  return {
    sql: `update fw_service_accounts set owner_id = ${idOf('h.heir')}, inherited_at = ? from (${sql}) h
      where fw_service_accounts.org_id = h.orgId and owner_id = ${idOf('h.leaver')} and h.heir is not null and deleted_at is null`,
    args: [now, ...args],
  }
}

function ownedRowsStatements(tables: readonly TableOfRows[], { sql, args }: SqlPart): InStatement[] {
  return tables.flatMap(({ name, quoted, people, hasOwner, hasId }) => [
    ...people.map(column => ({
      sql: `update ${quoted} set ${column} = h.heir from (${sql}) h
        where ${quoted}.org_id = h.orgId and ${quoted}.${column} = h.leaver and h.heir is not null`,
      args,
    })),
    ...(hasOwner && hasId
      ? [
          {
            sql: forgetSharesSql(
              name,
              `(resource_id, user_id) in (select t.id, u.id from (${sql}) h
                join ${quoted} t on t.org_id = h.orgId and t.owner_email = h.heir ${personJoin('h.heir', 'email')})`,
            ),
            args,
          },
        ]
      : []),
  ])
}

interface Leaver {
  orgId: string
  email: string
  /** The address of the chosen member. */
  receiver?: string
}

/**
 * Returns what a hand-over would change if this member left the organization: the rows by table, and the receiver. Throws like
 * `findReceiver`.
 */
export const planHandOver = async (on: Runs, leaver: Leaver): Promise<HandOver> => ({
  receivedBy: await findReceiver(on, leaver),
  rows: await countHandedOver(on, leaver),
})

/** Counts the rows of each table that this member would hand over; tables without any are omitted. */
export async function countHandedOver(on: Runs, leaver: Leaver): Promise<HandOver['rows']> {
  const isTheirs = ({ people }: TableOfRows) => `org_id = ? and ? in (${people.join(', ')})`
  return countByTable(on, await findHandedOver(on), isTheirs, [leaver.orgId, leaver.email])
}

/**
 * Returns the member who takes over: the chosen one, else the longest-standing owner; null when no member stays. Throws
 * `not-a-member` when the chosen person is not a member or is the one who leaves.
 */
export const findReceiver = async (on: Runs, leaver: Leaver): Promise<HandOver['receivedBy']> =>
  (await findReceivers(on, leaver))[0] ?? null

/**
 * Lists the members who can take over, longest-standing owners first, at most 100; only the chosen one if there is one. Throws
 * like `findReceiver`.
 */
export async function findReceivers(on: Runs, { orgId, email, receiver }: Leaver): Promise<ShownPerson[]> {
  const { rows } = await on.execute({
    sql: `select ${shownPersonSql()} as person from org_members x ${personJoin('x.user_id')}
      where x.org_id = ? and u.email <> ? and u.email = coalesce(?, u.email) order by ${HEIR_ORDER} limit 100`,
    args: [orgId, email, receiver ?? null],
  })
  if (receiver !== undefined && !rows[0]) throw notAMember('receiver')
  return rows.flatMap(({ person }) => toShownPerson(person) ?? [])
}

/** The address of the longest-standing owner in the organization of a row of this table; null for a row without one. */
export const longestOwner = (table: string): string =>
  `(select u.email from org_members x ${personJoin('x.user_id')} where x.org_id = ${table}.org_id order by ${HEIR_ORDER} limit 1)`

/** The condition that a row of this table is in a deleted organization, and is removed or restored with it. */
export const isInDeleted = (table: string): string =>
  `exists (select 1 from organizations o where o.id = ${table}.org_id and o.deleted_at is not null)`

/**
 * Counts the rows of each table that are deleted with a person's account. These are their own rows outside shared
 * organizations, and every row of the organizations (`goneOrgIds`) that are deleted with it. Tables without any are omitted.
 */
export async function countPersonalRows(
  app: App,
  { email, goneOrgIds }: { email: string; goneOrgIds: readonly string[] },
): Promise<HandOver['rows']> {
  const { client } = app.db
  const othersIn = (table: string, members: Members) => `exists (select 1 from ${members} x ${personJoin('x.user_id')}
    where x.org_id = ${table}.org_id and u.email <> owner_email)`
  const isAlone = (table: string) =>
    ` and not ${othersIn(table, 'org_members')} and not ${othersIn(table, 'fw_suspended_members')}`
  const none = '? is null'
  const isAuthors = ({ name, hasOrg }: TableOfRows) => hasOrg && !app.platformTables.has(name)
  return countByTable(
    client,
    (await findTables(client)).filter(table => table.hasOwner || isAuthors(table)),
    table => {
      const { quoted, hasOrg, hasOwner } = table
      const isTheirs = hasOwner ? `owner_email = ?${hasOrg ? isAlone(quoted) : ''}` : none
      const goes = isAuthors(table) ? 'org_id in (select value from json_each(?))' : none
      return `(${isTheirs}) or ${goes}`
    },
    [email, JSON.stringify(goneOrgIds)],
  )
}

/** The error for an input that must name a member of the organization. */
export const notAMember = (path: string): AppError =>
  new AppError('not-a-member', {
    errors: [{ path, message: fieldErrors['no-member'] }],
  })

/** Runs statements that also change the application's own rows; throws `rows-refused` when a table rejects the change. */
export async function writeOwnedRows(app: App, statements: InStatement[]): Promise<ResultSet[]> {
  try {
    return await app.db.client.batch(statements, 'write')
  } catch (cause) {
    throw rowsRefused(cause)
  }
}

/**
 * Converts the error of a constraint or trigger of the application's tables to `rows-refused`; returns any other error unchanged.
 */
export function rowsRefused(cause: unknown): unknown {
  if (!(cause instanceof Error) || !/constraint|RAISE/i.test(cause.message)) return cause
  return new AppError('rows-refused', { detail: `${cause.message}. Nothing has changed.`, cause })
}
