import type { Run } from './statement'

/** A table with rows that belong to an account, and what must be known to give them to another one. */
export interface LocalTable {
  name: string
  /** The column that says whose row it is: an id in our own tables, an address in the author's. */
  owner: 'user_id' | 'owner_email'
  hasId: boolean
  hasOrg: boolean
  hasVisibility: boolean
  /** The columns of each rule that lets something be there only once. */
  uniques: string[][]
}

const KEYED_BY_ID = new Set(['application_state', 'oauth_tokens', 'user_settings'])

const FIND = `
  select m.name as name, max(lower(c.name) = 'owner_email') as hasOwner, max(lower(c.name) = 'id') as hasId,
    max(lower(c.name) = 'org_id') as hasOrg, max(lower(c.name) = 'visibility') as hasVisibility
  from sqlite_master m join pragma_table_info(m.name) c
  where m.type = 'table' group by m.name order by m.name`

const FIND_UNIQUES = `
  select i.name as rule, c.name as name from pragma_index_list(:table) i join pragma_index_info(i.name) c
  where i."unique" = 1 and c.name is not null order by i.name, c.seqno`

/** The account's own tables that this database has, and every table with an `owner_email` column; views are none. */
export async function findLocalTables(run: Run): Promise<LocalTable[]> {
  const { rows } = await run(FIND)
  const tables: LocalTable[] = []
  for (const row of rows) {
    const name = String(row.name)
    if (!KEYED_BY_ID.has(name) && row.hasOwner !== 1) continue
    tables.push({
      name,
      owner: KEYED_BY_ID.has(name) ? 'user_id' : 'owner_email',
      hasId: row.hasId === 1,
      hasOrg: row.hasOrg === 1,
      hasVisibility: row.hasVisibility === 1,
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
