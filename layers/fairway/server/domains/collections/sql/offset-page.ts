// Reads numbered pages, with or without a total, and whole collections.
import type { App } from '#fairway/server/kernel/app-context'
import type { ReadApart, RowStatement, Snapshot } from '#fairway/server/kernel/database/client'
import { checkSize } from '../collection'
import { reversed, type Term } from './filters'
import { bind, type ReadArg } from './fragment'
import { valuesAt } from './keyset'
import { isDeterministic } from '#fairway/server/kernel/database/memory'
import { provenTotal } from '#fairway/server/kernel/database/read-page'
import { type PreparedRead, type Slice, type SliceOf, sliceStatement } from './statements'

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
export async function readPartialRows({ app, read, terms }: OrderedRead, { offset, limit }: Slice) {
  if (limit === 0) return { rows: [], hasNextPage: false }
  const part = { offset, limit: limit + 1 }
  const { snapshot } = app.db
  const rows =
    snapshot && !read.apart && offset >= DEEP_OFFSET
      ? await snapshot(state => readAtOffset(state, { read, terms }, part))
      : ((await read.rows([sliceStatement({ read, terms }, part)]))[0] ?? [])
  return { rows: rows.slice(0, limit), hasNextPage: rows.length > limit }
}

/** Reads every row. Throws `collection-too-large` when there are more than `most`. */
export async function readWholeRows({ read, terms }: OrderedRead, most: number) {
  const [rows = []] = await read.rows([sliceStatement({ read, terms }, { offset: 0, limit: most + 1 })])
  checkSize(rows.length, most)
  return rows
}

/** The number of rows. */
export async function readTotal(app: App, read: PreparedRead): Promise<number> {
  const count = bind(read.count(), read.values)
  if (app.db.snapshot && !read.apart) return app.db.snapshot(state => countIn(state, count))
  const [answer] = await read.rows([count])
  return toTotal(answer)
}

/** The rows of a page and the total, from one state of the database. */
export async function readFullRows(input: OrderedRead, part: Slice): Promise<{ rows: readonly Row[]; total: number }> {
  const { app, read } = input
  if (part.limit === 0) return { rows: [], total: await readTotal(app, read) }
  const count = bind(read.count(), read.values)
  if (read.apart) return read.apart(rows => readApart(rows, input, part, count))
  const { snapshot } = app.db
  return snapshot ? snapshot(state => readIn(state, input, part, count)) : readAtOnce(input, part, count)
}

function readIn(state: Snapshot, { read, terms }: OrderedRead, part: Slice, count: RowStatement) {
  const { offset, limit } = part
  if (offset < DEEP_OFFSET) {
    const { sql, args } = sliceStatement({ read, terms }, { offset, limit: limit + 1 })
    const found = state.rows(sql, args)
    return { rows: found.slice(0, limit), total: provenTotal(found, part) ?? countIn(state, count) }
  }
  const total = countIn(state, count)
  if (offset >= total) return { rows: [], total }
  const far = sliceFromEnd(part, total)
  if (!far) return { rows: readAtOffset(state, { read, terms }, part), total }
  return { rows: readAtOffset(state, { read, terms: reversed(terms) }, far).toReversed(), total }
}

async function readApart(rows: ReadApart, { read, terms }: OrderedRead, part: Slice, count: RowStatement) {
  const { offset, limit } = part
  const ask = ({ sql, args }: RowStatement) => rows(sql, args)
  if (offset < DEEP_OFFSET) {
    const found = await ask(sliceStatement({ read, terms }, { offset, limit: limit + 1 }))
    return { rows: found.slice(0, limit), total: provenTotal(found, part) ?? toTotal(await ask(count)) }
  }
  const total = toTotal(await ask(count))
  const far = sliceFromEnd(part, total)
  if (far) return { rows: (await ask(sliceStatement({ read, terms: reversed(terms) }, far))).toReversed(), total }
  return { rows: offset < total ? await ask(sliceStatement({ read, terms }, part)) : [], total }
}

// One call to the server. A deep page needs the total first, and is read again when the total has changed in between.
async function readAtOnce({ app, read, terms }: OrderedRead, part: Slice, count: RowStatement) {
  if (part.offset >= DEEP_OFFSET) {
    const before = await readTotal(app, read)
    const far = sliceFromEnd(part, before)
    const end = far && sliceStatement({ read, terms: reversed(terms) }, far)
    const [rows = [], after] = end ? await app.db.readRows([end, count]) : []
    if (end && before === toTotal(after)) return { rows: rows.toReversed(), total: before }
  }
  const [rows = [], answer] = await app.db.readRows([sliceStatement({ read, terms }, part), count])
  return { rows, total: toTotal(answer) }
}

function countIn(state: Snapshot, { sql, args }: RowStatement): number {
  const count = () => toTotal(state.rows(sql, args))
  return isDeterministic(sql) ? state.remember(JSON.stringify([sql, args]), count) : count()
}

// Beyond the middle, reading from the end is faster.
function sliceFromEnd({ offset, limit }: Slice, total: number): Slice | undefined {
  if (offset >= total || offset <= total / 2) return undefined
  const count = Math.min(limit, total - offset)
  return { offset: total - offset - count, limit: count }
}

const toTotal = (rows: readonly Row[] | undefined): number => Number(rows?.[0]?.[0] ?? 0)

/** A position in an order where a page began or ended. */
interface Bookmark {
  /** The number of rows before it. */
  at: number
  /** The values of the row just before it. */
  after: readonly ReadArg[]
}

const MOST_BOOKMARKS = 1000

/**
 * Reads a slice deep in an order. Both ends are bookmarked until the next write to the database. Later reads of this page and the
 * following ones start there instead of at the beginning.
 */
function readAtOffset(state: Snapshot, cut: SliceOf, { offset, limit }: Slice): unknown[][] {
  const bookmarks = bookmarksOf(state, cut)
  const near = bookmarks.findLast(({ at }) => at <= offset)
  const skipped = offset - (near?.at ?? 0)
  // Includes the row before the slice, because its values become the bookmark of this position.
  const lead = skipped > 0 ? 1 : 0
  const part = { offset: skipped - lead, limit: limit + lead }
  const { sql, args } = sliceStatement({ ...cut, after: near?.after }, part)
  const found = state.rows(sql, args)
  if (lead > 0) bookmark(bookmarks, cut, { at: offset, row: found[0] })
  const rows = found.slice(lead)
  bookmark(bookmarks, cut, { at: offset + rows.length, row: rows.at(-1) })
  return rows
}

function bookmarksOf(state: Snapshot, cut: SliceOf): Bookmark[] {
  const { sql, args } = sliceStatement(cut, { offset: 1, limit: 1 })
  return isDeterministic(sql) ? state.remember<Bookmark[]>(JSON.stringify(['bookmarks', sql, args]), () => []) : []
}

function bookmark(
  bookmarks: Bookmark[],
  { terms }: SliceOf,
  { at, row }: { at: number; row: readonly unknown[] | undefined },
): void {
  if (!row || bookmarks.length >= MOST_BOOKMARKS || bookmarks.some(known => known.at === at)) return
  const after = valuesAt(terms, row)
  bookmarks.splice(bookmarks.findLastIndex(known => known.at < at) + 1, 0, { at, after })
}
