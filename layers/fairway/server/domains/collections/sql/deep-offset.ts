import type { Snapshot } from '#fairway/server/kernel/database/client'
import { type Cut, cutStatement, type Part } from './cut-statement'
import type { ReadArg } from './fragment'
import { isSteady } from './steady-sql'

/** A place in an order that a page began or ended at. */
interface Mark {
  /** How many rows come before it. */
  at: number
  /** The values of the last of them. */
  after: readonly ReadArg[]
}

const MOST_MARKS = 1000

/**
 * The rows of a part that begins deep in an order. Where it begins and ends is remembered until somebody writes, so this
 * page and those behind it begin near by the next time, and not at the beginning.
 */
export function readAtOffset(state: Snapshot, cut: Cut, { offset, limit }: Part): unknown[][] {
  const marks = marksOf(state, cut)
  const near = marks.findLast(({ at }) => at <= offset)
  const skipped = offset - (near?.at ?? 0)
  // With the row before, which is the mark of this place.
  const lead = skipped > 0 ? 1 : 0
  const part = { offset: skipped - lead, limit: limit + lead }
  const { sql, args } = cutStatement({ ...cut, after: near?.after }, part)
  const found = state.rows(sql, args)
  if (lead > 0) mark(marks, cut, { at: offset, row: found[0] })
  const rows = found.slice(lead)
  mark(marks, cut, { at: offset + rows.length, row: rows.at(-1) })
  return rows
}

function marksOf(state: Snapshot, cut: Cut): Mark[] {
  const { sql, args } = cutStatement(cut, { offset: 1, limit: 1 })
  return isSteady(sql) ? state.remember<Mark[]>(JSON.stringify(['marks', sql, args]), () => []) : []
}

function mark(marks: Mark[], { terms }: Cut, { at, row }: { at: number; row: readonly unknown[] | undefined }): void {
  if (!row || marks.length >= MOST_MARKS || marks.some(known => known.at === at)) return
  const after = terms.map(({ field }) => row[field.at] as ReadArg)
  marks.splice(marks.findLastIndex(known => known.at < at) + 1, 0, { at, after })
}
