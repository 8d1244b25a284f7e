// The application's own tables whose rows belong to a person or to an organization, as this database defines them.
import { customType } from 'drizzle-orm/sqlite-core'
import { z } from 'zod'
import type { InStatement, InValue, ResultSet } from './database/client'
import { quoteName } from './database/sql-text'
import { namedValues, refusedValue } from './named-values'
import { emailSchema } from '../../shared/schemas/email'

// The SQL type of columns that name a person by the address, by which they are found in any table.
export const PERSON_TYPE = 'text_person'
export const CREATOR_TYPE = 'text_creator'
// The SQL type of columns that name a team by its ID.
export const TEAM_TYPE = 'text_team'

/**
 * A column with the address of the member who is responsible for the row. It is handed over when they leave, and follows a change
 * of address.
 */
export const person = customType<{ data: string; driverData: string }>({ dataType: () => PERSON_TYPE })

/** The address of a member of the active organization, as an input of actions; all others are refused with `not-a-member`. */
export const personSchema = emailSchema
  .superRefine((email, context) => {
    // A text that is no address names nobody.
    const fault = context.issues.length > 0 ? undefined : namedValues()?.person(email)
    if (fault) context.addIssue(refusedValue(fault, email))
  })
  .meta({ collection: 'team-members', collectionField: 'email', isMember: true })

/** A column with the ID of a team of the row's organization, for the rule `team()`; null once that team is deleted. */
export const teamColumn = customType<{ data: string; driverData: string }>({ dataType: () => TEAM_TYPE })

/** The ID of a team of the active organization, as an input of actions; all others are refused. */
export const teamSchema = z
  .string()
  .max(64)
  .superRefine((id, context) => {
    const fault = context.issues.length > 0 ? undefined : namedValues()?.team(id)
    if (fault) context.addIssue(refusedValue(fault, id))
  })
  .meta({ collection: 'organization-teams' })

/** A column with the address of the person who created the row; null once that account is deleted. */
export const creator = customType<{ data: string; driverData: string }>({ dataType: () => CREATOR_TYPE })

/** Runs statements, inside or outside a transaction. */
export interface Runs {
  execute(statement: InStatement): Promise<ResultSet>
}

/** A table of this database, and the meaning of its columns for its rows. */
export interface TableOfRows {
  name: string
  /** The name in SQL quotes: identifiers come from the database's own schema and may contain any characters. */
  quoted: string
  hasId: boolean
  hasRowid: boolean
  /** Whether each row belongs to a person (`owner_email`). */
  hasOwner: boolean
  /** Whether rows are in an organization (`org_id`). */
  hasOrg: boolean
  /** The columns that are handed over when a member leaves, quoted: `owner_email`, and those made by `person()`. */
  people: string[]
  /** The columns that name the creator of a row, quoted. They are not handed over. */
  creators: string[]
  /** The columns that name a team, quoted. */
  teams: string[]
}

const FIND = `
  select m.name as "table", c.name as name, lower(c.type) as type, l.wr = 0 as hasRowid
  from sqlite_master m join pragma_table_info(m.name) c join pragma_table_list(m.name) l
  where m.type = 'table' and l.schema = 'main' order by m.name, c.cid`

const foundSchema = z.object({ table: z.string(), name: z.string(), type: z.string(), hasRowid: z.number() })

/** Every table, by name. */
export async function findTables(on: Runs): Promise<TableOfRows[]> {
  const { rows } = await on.execute(FIND)
  const byTable = Map.groupBy(
    rows.map(row => foundSchema.parse(row)),
    ({ table }) => table,
  )
  return [...byTable].map(([name, columns]) => {
    const has = (column: string) => columns.some(each => each.name.toLowerCase() === column)
    const ofType = (type: string) => columns.filter(each => each.type === type).map(each => quoteName(each.name))
    const hasOwner = has('owner_email')
    return {
      name,
      quoted: quoteName(name),
      hasId: has('id'),
      hasRowid: columns[0]?.hasRowid === 1,
      hasOwner,
      hasOrg: has('org_id'),
      people: [...(hasOwner ? ['owner_email'] : []), ...ofType(PERSON_TYPE)],
      creators: ofType(CREATOR_TYPE),
      teams: ofType(TEAM_TYPE),
    }
  })
}

const countSchema = z.object({ n: z.number() })

/** Counts the rows of a part of a SELECT: the text after `from`. */
export async function countRows(on: Runs, from: string, args: InValue[]): Promise<number> {
  const { rows } = await on.execute({ sql: `select count(*) as n from ${from}`, args })
  return countSchema.parse(rows[0]).n
}

/** Counts the rows of each table that a condition matches; tables without any are left out. */
export async function countByTable(
  on: Runs,
  tables: readonly TableOfRows[],
  condition: (table: TableOfRows) => string,
  args: InValue[],
): Promise<{ table: string; rows: number }[]> {
  const counted: { table: string; rows: number }[] = []
  for (const table of tables) {
    const rows = await countRows(on, `${table.quoted} where ${condition(table)}`, args)
    if (rows > 0) counted.push({ table: table.name, rows })
  }
  return counted
}

/** Returns the tables whose rows each belong to a person. */
export const findTablesOfPeople = async (on: Runs): Promise<TableOfRows[]> =>
  (await findTables(on)).filter(({ hasOwner }) => hasOwner)
