// Reads numbered pages, with or without a total, and whole collections.
import type { App } from '#fairway/server/kernel/app-context'
import type { ReadApart, ReadRows, RowStatement } from '#fairway/server/kernel/database/client'
import { checkSize } from '../collection'
import { reversed, type Term } from './filters'
import { provenTotal, type Slice } from '#fairway/server/kernel/database/read-page'
import { bind } from './fragment'
import { type PreparedRead, sliceStatement } from './statements'

type Row = readonly unknown[]

/** The rows to read, and their order. */
interface OrderedRead {
  app: App
  read: PreparedRead
  terms: readonly Term[]
}

/** From this offset, skipping rows may cost more than counting them. */
const DEEP_OFFSET = 300

/** The rows of a page, and whether another one follows. */
export async function readPartialRows({ read, terms }: OrderedRead, { offset, limit }: Slice) {
  if (limit === 0) return { rows: [], hasNextPage: false }
  const [rows = []] = await read.rows([sliceStatement({ read, terms }, { offset, limit: limit + 1 })])
  return { rows: rows.slice(0, limit), hasNextPage: rows.length > limit }
}

/** Reads every row. Throws `collection-too-large` when there are more than `most`. */
export async function readWholeRows({ read, terms }: OrderedRead, most: number) {
  const [rows = []] = await read.rows([sliceStatement({ read, terms }, { offset: 0, limit: most + 1 })])
  checkSize(rows.length, most)
  return rows
}

/** The number of rows. */
export async function readTotal(read: PreparedRead): Promise<number> {
  const [answer] = await read.rows([bind(read.count(), read.values)])
  return toTotal(answer)
}

/** The rows of a page and its total. */
interface FullRows {
  rows: readonly Row[]
  total: number
}

/** The rows of a page and the total, from one state of the database. */
export async function readFullRows(input: OrderedRead, part: Slice): Promise<FullRows> {
  const { app, read } = input
  if (part.limit === 0) return { rows: [], total: await readTotal(read) }
  const count = bind(read.count(), read.values)
  if (read.apart) return read.apart(rows => finishApart(fullRows(input, part, count), rows))
  const { snapshot } = app.db
  return snapshot ? snapshot(rows => finish(fullRows(input, part, count), rows)) : readAtOnce(input, part, count)
}

/** Yields each statement that it needs the rows of. */
type FullReading = Generator<RowStatement, FullRows, readonly Row[]>

function* fullRows({ read, terms }: OrderedRead, part: Slice, count: RowStatement): FullReading {
  const { offset, limit } = part
  if (offset < DEEP_OFFSET) {
    const withNext = yield sliceStatement({ read, terms }, { offset, limit: limit + 1 })
    return { rows: withNext.slice(0, limit), total: provenTotal(withNext, part) ?? toTotal(yield count) }
  }
  const total = toTotal(yield count)
  if (offset >= total) return { rows: [], total }
  const far = sliceFromEnd(part, total)
  if (!far) return { rows: yield sliceStatement({ read, terms }, part), total }
  return { rows: (yield sliceStatement({ read, terms: reversed(terms) }, far)).toReversed(), total }
}

function finish(reading: FullReading, rows: ReadRows): FullRows {
  let step = reading.next()
  while (!step.done) step = reading.next(rows(step.value.sql, step.value.args))
  return step.value
}

async function finishApart(reading: FullReading, rows: ReadApart): Promise<FullRows> {
  let step = reading.next()
  while (!step.done) step = reading.next(await rows(step.value.sql, step.value.args))
  return step.value
}

// One call to the server. A deep page needs the total first, and is read again when the total has changed in between.
async function readAtOnce({ app, read, terms }: OrderedRead, part: Slice, count: RowStatement): Promise<FullRows> {
  if (part.offset >= DEEP_OFFSET) {
    const before = await readTotal(read)
    const far = sliceFromEnd(part, before)
    const end = far && sliceStatement({ read, terms: reversed(terms) }, far)
    const [rows = [], after] = end ? await app.db.readRows([end, count]) : []
    if (end && before === toTotal(after)) return { rows: rows.toReversed(), total: before }
  }
  const [rows = [], answer] = await app.db.readRows([sliceStatement({ read, terms }, part), count])
  return { rows, total: toTotal(answer) }
}

// Beyond the middle, reading from the end is faster.
function sliceFromEnd({ offset, limit }: Slice, total: number): Slice | undefined {
  if (offset >= total || offset <= total / 2) return undefined
  const count = Math.min(limit, total - offset)
  return { offset: total - offset - count, limit: count }
}

const toTotal = (rows: readonly Row[] | undefined): number => Number(rows?.[0]?.[0] ?? 0)
