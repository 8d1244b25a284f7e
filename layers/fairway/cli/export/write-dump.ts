// Writes the statements and the rows. Rows are read and written in pages, so memory does not grow with them.
import { VERSION } from '../../shared/package'
import { literal, quoteName } from '../../server/kernel/database/sql-text'
import { showProgress } from '../terminal'
import type { Note, Schema } from './postgres-schema'
import { type Column, type Table } from './read-tables'
import type { Snapshot, Value } from './snapshot'

export type Write = (text: string) => Promise<void>

/** Writes a file for psql: tables, rows, then keys and references, in one transaction. */
export async function writeDump(
  snapshot: Snapshot,
  { tables, schema: { before, after, notes } }: { tables: readonly Table[]; schema: Schema },
  write: Write,
): Promise<void> {
  await write(`${headOf(tables, notes)}${before.join('\n')}\n`)
  const all = rowsOf(tables)
  let done = 0
  for (const table of tables.filter(({ rows }) => rows > 0)) {
    await write(
      `copy ${quoteName(table.name)} (${table.columns.map(({ name }) => quoteName(name)).join(', ')}) from stdin;\n`,
    )
    for await (const page of pagesOf(snapshot, table)) {
      await write(
        page.map(row => `${table.columns.map((column, i) => copied(row[i] ?? null, column)).join('\t')}\n`).join(''),
      )
      done += page.length
      showProgress(`${table.name}: ${done} of ${all} rows`)
    }
    await write('\\.\n')
  }
  const tries = after.map(({ what, sql, otherwise = '' }) => [what, sql, otherwise].map(literal).join(', '))
  await write(tries.map(each => `call pg_temp.try(${each});\n`).join(''))
  await write(endOf(tables))
}

/** The number of rows of all tables. */
export const rowsOf = (tables: readonly Table[]): number => tables.reduce((sum, { rows }) => sum + rows, 0)

const headOf = (tables: readonly Table[], notes: readonly Note[]): string =>
  `-- Written by \`fw export --to postgres\` of Fairway ${VERSION}: ${tables.length} tables, ${rowsOf(tables)} rows.
-- It contains password hashes and sealed secrets. Load it into an empty database with the encoding UTF8:
--   psql -X -q -v ON_ERROR_STOP=1 -d <database> -f <this file>
-- Not translated, or in another form (${notes.length}):
${notes.map(({ kind, name, text }) => `--   ${`${kind} ${name}: ${text}`.replaceAll(/\s+/g, ' ')}\n`).join('')}
begin;
set local client_encoding = 'UTF8';
set local standard_conforming_strings = on;
set local client_min_messages = warning;
create procedure pg_temp.try(what text, statements text, otherwise text) language plpgsql as $try$
begin
  execute statements;
exception when others then
  if otherwise = '' then
    raise warning 'Not made: %. %', what, sqlerrm;
  else
    raise warning 'Tried in a weaker form: %. %', what, sqlerrm;
    call pg_temp.try(what, otherwise, '');
  end if;
end
$try$;
`

// A file that was cut off has no `commit`, so it loads nothing.
const endOf = (tables: readonly Table[]): string => `commit;
analyze;
select * from (values
${tables.map(({ name, rows }) => `  (${literal(name)}, ${rows}, (select count(*) from ${quoteName(name)}))`).join(',\n')}
) as counts ("table", exported, loaded) order by exported = loaded, 1;
`

async function* pagesOf({ read }: Snapshot, { name, columns, order, pageRows }: Table): AsyncGenerator<Value[][]> {
  const selected = columns.map(({ name: each, withReals }) => {
    const quoted = quoteName(each)
    // A libSQL server cannot send infinity.
    return withReals > 0
      ? `case ${quoted} when 9e999 then 'Infinity' when -9e999 then '-Infinity' else ${quoted} end`
      : quoted
  })
  const select = `select ${[...selected, ...order].join(', ')} from ${quoteName(name)}`
  const [keys, places] = [order.join(', '), order.map(() => '?').join(', ')]
  for (let last: Value[] = []; ;) {
    const after = last.length > 0 ? ` where (${keys}) > (${places})` : ''
    const page = await read(`${select}${after} order by ${keys} limit ${pageRows}`, last)
    if (page.length > 0) yield page
    if (page.length < pageRows) return
    last = page.at(-1)?.slice(columns.length) ?? []
  }
}

const ESCAPES = new Map(Object.entries({ '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r', '\0': '\uFFFD' }))

/** Returns a value as COPY reads it. NUL in a text becomes U+FFFD. */
export function copied(value: Value, { type }: Pick<Column, 'type'>): string {
  if (value === null) return '\\N'
  if (type === 'bytea')
    return `\\\\x${Buffer.from(value instanceof Uint8Array ? value : String(value)).toString('hex')}`
  if (typeof value !== 'string') return String(value)
  return value.replaceAll(/[\\\t\n\r\0]/g, sign => ESCAPES.get(sign) ?? sign)
}
