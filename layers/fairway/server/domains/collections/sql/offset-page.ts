import type { App } from '#fairway/server/kernel/app-context'
import type { RowStatement, Snapshot } from '#fairway/server/kernel/database/client'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { bind, type ReadArg } from './fragment'
import { cutStatement, type Part, type PreparedRead, type Cut } from './statements'
import { reversed, type Term } from './filters'

type Row = readonly unknown[]

/** An order to read. */
interface OrderedRead {
  app: App
  read: PreparedRead
  terms: readonly Term[]
}

/** From here on skipping rows may cost more than counting them. */
const DEEP_OFFSET = 300

/** The rows of a page, and whether one more follows. */
export async function readPartialRows({ app, read, terms }: OrderedRead, { offset, limit }: Part) {
  if (limit === 0) return { rows: [], hasNextPage: false }
  const part = { offset, limit: limit + 1 }
  const { snapshot } = app.db
  const rows =
    snapshot && offset >= DEEP_OFFSET
      ? await snapshot(state => readAtOffset(state, { read, terms }, part))
      : ((await app.db.readRows([cutStatement({ read, terms }, part)]))[0] ?? [])
  return { rows: rows.slice(0, limit), hasNextPage: rows.length > limit }
}

/** Every row; throws `collection-too-large` when there are more than `most`. */
export async function readWholeRows({ app, read, terms }: OrderedRead, most: number) {
  const [rows = []] = await app.db.readRows([cutStatement({ read, terms }, { offset: 0, limit: most + 1 })])
  if (rows.length <= most) return rows
  throw new AppError('collection-too-large', {
    detail: `At most ${most} items are sent at once. Ask for pages, or filter.`,
  })
}

/** How many rows there are. */
export async function readTotal(app: App, read: PreparedRead): Promise<number> {
  const count = bind(read.count(), read.values)
  if (app.db.snapshot) return app.db.snapshot(state => countIn(state, count))
  const [answer] = await app.db.readRows([count])
  return toTotal(answer)
}

/** The rows of a page and how many there are in all, of one state of the database. */
export async function readFullRows(input: OrderedRead, part: Part): Promise<{ rows: readonly Row[]; total: number }> {
  const { app, read } = input
  if (part.limit === 0) return { rows: [], total: await readTotal(app, read) }
  const count = bind(read.count(), read.values)
  const { snapshot } = app.db
  return snapshot ? snapshot(state => readIn(state, input, part, count)) : readAtOnce(input, part, count)
}

function readIn(state: Snapshot, { read, terms }: OrderedRead, part: Part, count: RowStatement) {
  const { offset, limit } = part
  if (offset < DEEP_OFFSET) {
    const { sql, args } = cutStatement({ read, terms }, { offset, limit: limit + 1 })
    const found = state.rows(sql, args)
    return { rows: found.slice(0, limit), total: provenTotal(found, part) ?? countIn(state, count) }
  }
  const total = countIn(state, count)
  if (offset >= total) return { rows: [], total }
  const far = fromFarEnd(part, total)
  if (!far) return { rows: readAtOffset(state, { read, terms }, part), total }
  return { rows: readAtOffset(state, { read, terms: reversed(terms) }, far).toReversed(), total }
}

// One call to the server; a deep page needs a total before, and is read again when that has changed meanwhile.
async function readAtOnce({ app, read, terms }: OrderedRead, part: Part, count: RowStatement) {
  if (part.offset >= DEEP_OFFSET) {
    const before = await readTotal(app, read)
    const far = fromFarEnd(part, before)
    const end = far && cutStatement({ read, terms: reversed(terms) }, far)
    const [rows = [], after] = end ? await app.db.readRows([end, count]) : []
    if (end && before === toTotal(after)) return { rows: rows.toReversed(), total: before }
  }
  const [rows = [], answer] = await app.db.readRows([cutStatement({ read, terms }, part), count])
  return { rows, total: toTotal(answer) }
}

function countIn(state: Snapshot, { sql, args }: RowStatement): number {
  const count = () => toTotal(state.rows(sql, args))
  return isSteady(sql) ? state.remember(JSON.stringify([sql, args]), count) : count()
}

/** The total that the page itself shows: it ends within, and something is on it or nothing can be. */
function provenTotal(found: readonly Row[], { offset, limit }: Part): number | undefined {
  if (found.length > limit || (found.length === 0 && offset > 0)) return undefined
  return offset + found.length
}

// Behind the middle the way from the end is shorter.
function fromFarEnd({ offset, limit }: Part, total: number): Part | undefined {
  if (offset >= total || offset <= total / 2) return undefined
  const count = Math.min(limit, total - offset)
  return { offset: total - offset - count, limit: count }
}

const toTotal = (rows: readonly Row[] | undefined): number => Number(rows?.[0]?.[0] ?? 0)

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
function readAtOffset(state: Snapshot, cut: Cut, { offset, limit }: Part): unknown[][] {
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

const UNSTEADY =
  /\b(?:random|randomblob|date|time|datetime|julianday|unixepoch|strftime|timediff|changes|total_changes|last_insert_rowid)\s*\(|\bcurrent_(?:date|time|timestamp)\b/i

/** Whether a statement answers the same as long as nobody writes: it asks neither the clock nor chance. */
const isSteady = (sql: string): boolean => !UNSTEADY.test(sql)
