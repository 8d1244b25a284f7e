// The application's own tables whose rows belong to a person by their address (`ownableColumns`), as this database has them.
import { z } from 'zod'
import type { InStatement, ResultSet } from './database/client'

/** Runs statements, inside or outside of a transaction. */
export interface Runs {
  execute(statement: InStatement): Promise<ResultSet>
}

/** A table with an `owner_email` column. */
export interface OwnedTable {
  name: string
  /** The same as SQL names it: identifiers come from the database's own schema and may be anything. */
  quoted: string
  hasId: boolean
  hasRowid: boolean
}

const FIND = `
  select m.name as name, max(lower(c.name) = 'id') as hasId, l.wr = 0 as hasRowid
  from sqlite_master m join pragma_table_info(m.name) c join pragma_table_list(m.name) l
  where m.type = 'table' and l.schema = 'main' group by m.name having max(lower(c.name) = 'owner_email') = 1 order by m.name`

const foundSchema = z.object({ name: z.string(), hasId: z.number(), hasRowid: z.number() })

/** Every table whose rows have an owner, by name. */
export async function findOwnedTables(on: Runs): Promise<OwnedTable[]> {
  const { rows } = await on.execute(FIND)
  return rows.map(row => {
    const { name, hasId, hasRowid } = foundSchema.parse(row)
    return { name, quoted: `"${name.replaceAll('"', '""')}"`, hasId: hasId === 1, hasRowid: hasRowid === 1 }
  })
}

const countSchema = z.object({ n: z.number() })

/** How many rows of each table a person owns; tables without any are left out. */
export async function countOwnedRows(on: Runs, email: string): Promise<{ table: string; rows: number }[]> {
  const counted: { table: string; rows: number }[] = []
  for (const { name, quoted } of await findOwnedTables(on)) {
    const { rows } = await on.execute({
      sql: `select count(*) as n from ${quoted} where owner_email = ?`,
      args: [email],
    })
    counted.push({ table: name, rows: countSchema.parse(rows[0]).n })
  }
  return counted.filter(({ rows }) => rows > 0)
}
