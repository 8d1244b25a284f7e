// Translates refused foreign keys into errors: references to missing rows, and deletions of rows that others still refer to.
import { getTableName } from 'drizzle-orm'
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { FILE_REFUSED } from '#fairway/server/domains/files'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { fieldError } from '#fairway/server/kernel/http/field-errors'
import { quoteName } from '#fairway/server/kernel/database/sql-text'
import { countRows } from '#fairway/server/kernel/owned-rows'
import type { Action } from './action'
import { textAt } from './audit/audit-subject'

interface FailedRun {
  action: Pick<Action, 'subject' | 'destructive'>
  input: unknown
}

/**
 * Translates the error of an action's run for callers. `still-referred` lists the tables and row counts that refer to a row to be
 * deleted. `reference-not-found` means that a row refers to a missing one, or to one of another organization. `invalid-input`
 * means that the row would have taken a file of another row. All other errors are returned unchanged.
 */
export async function referenceFault(app: App, { action, input }: FailedRun, thrown: unknown): Promise<unknown> {
  if (messagesOf(thrown).includes(FILE_REFUSED))
    return new AppError('invalid-input', { errors: [fieldError('', 'no-such-file')], cause: thrown })
  if (!isForeignKeyFault(thrown)) return thrown
  const { subject, destructive } = action
  const id = subject && textAt(input, subject.id)
  const references = destructive && id !== undefined ? await findReferences(app, getTableName(subject!.table), id) : []
  if (references.length === 0) return new AppError('reference-not-found', { cause: thrown })
  const named = references.map(({ table, rows }) => `${rows} in ${table}`)
  return new AppError('still-referred', { detail: `${named.join(', ')}.`, extra: { references }, cause: thrown })
}

const isForeignKeyFault = (thrown: unknown): boolean => messagesOf(thrown).includes('FOREIGN KEY constraint failed')

/** The messages of an error and its causes: the query builder wraps the database's error in another one. */
export function messagesOf(thrown: unknown): string {
  let text = ''
  for (let error = thrown; error instanceof Error; error = error.cause) text += `${error.message}\n`
  return text
}

const KEYS = `
  select m.name as child, f.id as id, f."from" as "from", coalesce(f."to", 'id') as "to", f.on_delete as "does"
  from sqlite_master m join pragma_foreign_key_list(m.name) f
  where m.type = 'table' and lower(f."table") = lower(?) order by m.name, f.id, f.seq`

const keySchema = z.object({ child: z.string(), id: z.number(), from: z.string(), to: z.string(), does: z.string() })

/** The rows that refer to one of this table and keep it from being deleted, by table. */
async function findReferences(app: App, parent: string, id: string): Promise<{ table: string; rows: number }[]> {
  const { rows } = await app.db.client.execute({ sql: KEYS, args: [parent] })
  const all = rows.map(row => keySchema.parse(row))
  const isCleared = ({ child, from }: z.output<typeof keySchema>) =>
    all.some(key => key.child === child && key.from === from && key.does === 'SET NULL')
  const keys = Map.groupBy(all, key => `${key.id} ${key.child}`)
  const references: { table: string; rows: number }[] = []
  for (const columns of keys.values()) {
    if (columns.some(key => key.does === 'CASCADE' || isCleared(key))) continue
    const child = columns[0]?.child ?? ''
    const same = columns.map(({ from, to }) => `c.${quoteName(from)} = p.${quoteName(to)}`)
    const from = `${quoteName(child)} c join ${quoteName(parent)} p on ${same.join(' and ')} where p.id = ?`
    const count = await countRows(app.db.client, from, [id])
    if (count > 0) references.push({ table: child, rows: count })
  }
  return references
}
