// Triggers write the columns of `foldedText`, for every kind of write and by every program.
import { z } from 'zod'
import type { App } from '../app-context'
import { keepTriggers, triggerSql } from '../database/keep-triggers'
import { quoteName } from '../database/sql-text'
import { FOLDED_ENDING, FOLDED_TYPE } from '../field-types'
import { foldedSql } from './fold-sql'

const PREFIX = 'fw_fold_'

const FIND = `select m.name as "table", c.name as folded, s.name as source
  from sqlite_schema m join pragma_table_info(m.name) c
  left join pragma_table_info(m.name) s on s.name || '${FOLDED_ENDING}' = c.name
  where m.type = 'table' and lower(c.type) = '${FOLDED_TYPE}'`

const columnSchema = z.object({ table: z.string(), folded: z.string(), source: z.string().nullable() })

/**
 * Creates, updates and drops the triggers to match the current columns, and fills the columns whose triggers are new. Throws for
 * a column that names no other column of its table.
 */
export async function keepFolds(app: App): Promise<void> {
  const { rows } = await app.db.client.execute(FIND)
  const columns = rows.map(row => columnSchema.parse(row))
  const wanted = new Map(columns.flatMap(column => triggersOf(column)))
  const fresh = await keepTriggers(app.db.client, PREFIX, wanted)
  for (const { table, folded, source } of columns) {
    if (!fresh.has(nameOf(table, folded, 'insert'))) continue
    const value = foldedSql(quoteName(source ?? ''))
    const column = quoteName(folded)
    await app.db.client.execute(`update ${quoteName(table)} set ${column} = ${value} where ${column} is not ${value}`)
  }
}

const nameOf = (table: string, column: string, event: string): string => `${PREFIX}${table}:${column}:${event}`

function triggersOf({ table, folded, source }: z.output<typeof columnSchema>): [string, string][] {
  if (source === null)
    throw new Error(
      `${table}.${folded}: foldedText() takes the name of a column of its table; there is no ${folded.slice(0, -FOLDED_ENDING.length)}`,
    )
  const [on, column, from] = [table, folded, source].map(quoteName)
  const write = `update ${on} set ${column} = ${foldedSql(`new.${from}`)} where rowid = new.rowid;`
  const events = {
    insert: `after insert on ${on}`,
    update: `after update of ${from} on ${on} when old.${from} is not new.${from}`,
  }
  return Object.entries(events).map(([event, when]) => {
    const name = nameOf(table, folded, event)
    return [name, triggerSql(name, when, write)]
  })
}
