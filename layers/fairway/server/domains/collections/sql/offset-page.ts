import type { App } from '#fairway/server/kernel/app-context'
import type { RowStatement, Snapshot } from '#fairway/server/kernel/database/client'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { bind } from './fragment'
import { cutStatement, type Part } from './cut-statement'
import { readAtOffset } from './deep-offset'
import { reversed, type Term } from './order'
import type { PreparedRead } from './prepared-read'
import { isSteady } from './steady-sql'

type Row = readonly unknown[]

/** An order to read. */
export interface OrderedRead {
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
