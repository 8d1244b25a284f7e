import type { App } from '../app-context'
import { seal, unseal, UnsealError } from './seal'

/** A column of sealed texts: the purpose of the seal and its associated data. */
export interface SealedColumn {
  table: string
  column: string
  purpose: string
  context(row: Readonly<Record<string, unknown>>): string
  /** The column that repeats the key's id, where one exists. */
  keyIdColumn?: string
}

export interface ResealReport {
  /** `table.column`. */
  name: string
  rows: number
  /** Rows that were sealed again with the current secret, or would be in a dry run. */
  resealed: number
  /** Rows that none of our secrets decrypts. */
  unreadable: number
}

interface ResealOptions {
  dryRun: boolean
  onProgress?: (report: ResealReport) => void
}

const PIECE = 200

/**
 * Seals every text of a column that has an earlier secret again with the current one, so that the earlier secret can be removed.
 * A text that changes meanwhile keeps its new value; run it again until none is left.
 */
export async function reseal(
  app: App,
  sealed: SealedColumn,
  { dryRun, onProgress }: ResealOptions,
): Promise<ResealReport> {
  const { table, column } = sealed
  const report = { name: `${table}.${column}`, rows: 0, resealed: 0, unreadable: 0 }
  let after = 0
  for (;;) {
    const { rows } = await app.db.client.execute({
      sql: `select rowid as _rowid, * from ${table} where ${column} <> '' and rowid > ? order by rowid limit ?`,
      args: [after, PIECE],
    })
    const updates = rows.flatMap(row => {
      after = Number(row._rowid)
      report.rows += 1
      const renewed = renew(app, sealed, row)
      if (renewed === 'unreadable') report.unreadable += 1
      if (renewed === 'current' || renewed === 'unreadable') return []
      report.resealed += 1
      return [update(sealed, row, renewed)]
    })
    if (!dryRun && updates.length > 0) await app.db.client.batch(updates, 'write')
    onProgress?.(report)
    if (rows.length < PIECE) return report
  }
}

function renew(app: App, { column, purpose, context }: SealedColumn, row: Record<string, unknown>): string {
  const { keys } = app.config
  const text = String(row[column])
  try {
    const opened = unseal(keys, purpose, text, context(row))
    return text.startsWith(`${keys.current(purpose).id}.`) ? 'current' : seal(keys, purpose, opened, context(row))
  } catch (error) {
    if (error instanceof UnsealError) return 'unreadable'
    throw error
  }
}

function update({ table, column, keyIdColumn }: SealedColumn, row: Record<string, unknown>, renewed: string) {
  const keyId = keyIdColumn ? `, ${keyIdColumn} = '${renewed.slice(0, renewed.indexOf('.'))}'` : ''
  return {
    sql: `update ${table} set ${column} = ?${keyId} where rowid = ? and ${column} = ?`,
    args: [renewed, Number(row._rowid), String(row[column])],
  }
}
