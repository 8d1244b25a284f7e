import { z } from 'zod'
import type { InValue } from './client'
import type { Runs } from '../owned-rows'

const PAGE = 50

/** A position in the list: the creation time in milliseconds and the id of the row before the next page. */
const CURSOR = /^(\d{1,16})\.([\w-]{1,64})$/

const placeSchema = z.object({ id: z.string(), createdMs: z.number() })

interface Newest {
  /** The selected columns, `id` and `createdMs` (`created_at`) among them, with the values of their parameters. */
  columns: string
  args?: readonly InValue[]
  /** The table and its alias: `users u`. */
  from: string
  alias: string
  conditions: readonly { sql: string; args: readonly InValue[] }[]
  cursor?: string
}

/**
 * Returns one page of 50 rows, newest first; `cursor` leads to the next page and is null on the last one. An invalid cursor leads
 * to the first page.
 */
export async function newestPage(
  on: Runs,
  { columns, args = [], from, alias: t, conditions, cursor }: Newest,
): Promise<{ rows: unknown[]; cursor: string | null }> {
  const [, createdAt, id] = CURSOR.exec(cursor ?? '') ?? []
  const after = createdAt && id ? [{ sql: `(${t}.created_at, ${t}.id) < (?, ?)`, args: [Number(createdAt), id] }] : []
  const all = [...conditions, ...after]
  const where = all.length > 0 ? `where ${all.map(({ sql }) => sql).join(' and ')}` : ''
  const { rows } = await on.execute({
    sql: `select ${columns} from ${from} ${where} order by ${t}.created_at desc, ${t}.id desc limit ${PAGE + 1}`,
    args: [...args, ...all.flatMap(each => each.args)],
  })
  const last = rows.length > PAGE ? placeSchema.parse(rows[PAGE - 1]) : undefined
  return { rows: rows.slice(0, PAGE), cursor: last ? `${last.createdMs}.${last.id}` : null }
}
