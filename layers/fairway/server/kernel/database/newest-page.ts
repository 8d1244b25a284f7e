import type { SqlPart } from '../dependent-rows'
import type { Runs } from '../owned-rows'
import type { InValue } from './client'
import { readNewest } from './read-page'

/** A position in the list: the creation time in milliseconds and the id of the row before the next page. */
const CURSOR = /^(\d{1,16})\.([\w-]{1,64})$/

interface Newest<Row> {
  /** The selected columns, `id` and `createdMs` (`created_at`) among them, with the values of their parameters. */
  columns: string
  args?: readonly InValue[]
  /** The table and its alias: `users u`. */
  from: string
  alias: string
  conditions: readonly SqlPart[]
  cursor?: string
  parse: (row: unknown) => Row
}

/** Reads one page of the newest rows by their creation. An invalid cursor leads to the first page. */
export function newestPage<Row extends { id: string; createdMs: number }>(
  on: Runs,
  { columns, args = [], from, alias: t, conditions, cursor, parse }: Newest<Row>,
): Promise<{ rows: Row[]; cursor: string | null }> {
  const [, createdAt, id] = CURSOR.exec(cursor ?? '') ?? []
  const after = createdAt && id ? [{ sql: `(${t}.created_at, ${t}.id) < (?, ?)`, args: [Number(createdAt), id] }] : []
  const all = [...conditions, ...after]
  const where = all.length > 0 ? `where ${all.map(({ sql }) => sql).join(' and ')}` : ''
  const read = async (limit: number) => {
    const { rows } = await on.execute({
      sql: `select ${columns} from ${from} ${where} order by ${t}.created_at desc, ${t}.id desc limit ?`,
      args: [...args, ...all.flatMap(each => each.args), limit],
    })
    return rows.map(parse)
  }
  return readNewest(read, row => `${row.createdMs}.${row.id}`)
}
