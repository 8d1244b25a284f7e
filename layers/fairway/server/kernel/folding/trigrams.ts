// Finds the rows whose text contains another one without reading all rows: triggers keep the parts of three characters of each
// row's folded text. The full-text index of SQLite 3.45 reports itself as damaged when it deletes rows for good.
import type { App } from '../app-context'
import { keepTriggers, triggerSql } from '../database/keep-triggers'
import { foldText } from '#fairway/shared/fold-text'
import { foldedSql } from './fold-sql'

/** A text of each row of a table that is searched for its parts. */
export interface SearchedText {
  /** The two tables are `<name>_rows`, which numbers the rows, and `<name>_trigrams`. */
  name: string
  /** A table with the primary key `id`. */
  table: string
  columns: readonly string[]
  /** The text of a row, as SQL with the row's name. */
  textOf: (row: string) => string
}

const PREFIX = 'fw_text_'
const EVENTS = ['insert', 'update', 'delete'] as const
/** With more rows than this, reading the table is quicker. */
const MOST_ROWS = 1000

/** The trigrams of rows `from` a source with the numbers `n`, as a SELECT. */
const trigramsSql = ({ textOf }: SearchedText, row: string, n: string, from: string): string =>
  `with recursive part(n, at, text) as (select ${n}, 1, ${foldedSql(textOf(row))} ${from} union all
    select n, at + 1, text from part where at < length(text) - 2) select distinct substr(text, at, 3) as trigram, n from part`

/** Creates the triggers of a searched text. They begin with the rows that are there. Several processes may do so at once. */
export async function keepTrigrams(app: App, searched: SearchedText): Promise<void> {
  const { name, table, columns } = searched
  const numberOf = (row: string) => `(select n from ${name}_rows where id = ${row}.id)`
  const add = `insert or ignore into ${name}_trigrams select trigram, n from (${trigramsSql(searched, 'new', numberOf('new'), '')});`
  const remove = `delete from ${name}_trigrams where n = ${numberOf('old')}
    and trigram in (select trigram from (${trigramsSql(searched, 'old', '0', '')}));`
  const moved = columns.map(column => `old.${column} is not new.${column}`).join(' or ')
  const triggers: [(typeof EVENTS)[number], when: string, does: string][] = [
    ['insert', `after insert on ${table}`, `insert or replace into ${name}_rows (id) values (new.id); ${add}`],
    ['update', `after update of ${columns.join(', ')} on ${table} when ${moved}`, `${remove} ${add}`],
    ['delete', `after delete on ${table}`, `${remove} delete from ${name}_rows where id = old.id;`],
  ]
  const wanted = new Map(
    triggers.map(([event, when, does]) => {
      const trigger = `${PREFIX}${table}:${event}`
      return [trigger, triggerSql(trigger, when, does)]
    }),
  )
  const rows = `from ${table} t join ${name}_rows r on r.id = t.id`
  await keepTriggers(app.db.client, PREFIX, wanted, [
    `delete from ${name}_trigrams`,
    `delete from ${name}_rows`,
    `insert into ${name}_rows (id) select id from ${table}`,
    `insert into ${name}_trigrams ${trigramsSql(searched, 't', 'r.n', rows)} order by 1, 2`,
  ])
}

/**
 * Returns the statement that selects the ids of the rows with the rarest part of a text. A search can be limited to these, which
 * must still be compared with the text. Undefined for a text that is too short or has frequent parts only, and while a trigger is
 * missing.
 */
export async function rowsThatMayContain(
  app: App,
  { name, table }: SearchedText,
  text: string,
): Promise<{ sql: string; args: string[] } | undefined> {
  const characters = [...foldText(text.trim())]
  const trigrams = characters.slice(2).map((last, at) => `${characters[at]}${characters[at + 1]}${last}`)
  if (trigrams.length === 0) return undefined
  const [rarest] = await app.db.prepareRead<{ trigram: string; amount: number }>(
    `select value as trigram, (select count(*) from (select 1 from ${name}_trigrams where trigram = value limit ${MOST_ROWS + 1})) as amount
      from json_each(?) where (select count(*) from sqlite_schema
        where type = 'trigger' and tbl_name = '${table}' and name glob '${PREFIX}*') = ${EVENTS.length}
      order by amount limit 1`,
  )([JSON.stringify([...new Set(trigrams)])])
  if (!rarest || rarest.amount > MOST_ROWS) return undefined
  return {
    sql: `select r.id as id from ${name}_trigrams t join ${name}_rows r on r.n = t.n where t.trigram = ?`,
    args: [rarest.trigram],
  }
}
