import { getTableName } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import type { Cursor, PageSelection } from '../collection'
import type { OrderBy } from '../effective-options'
import { afterTuple, type CursorPlace, readBounds, writeBounds, readToken, type TokenPlace, writeToken } from './keyset'
import { bind, fragment, joined, type ReadArg, type SlotValues } from './fragment'
import { cursorOrder, orderKey, reversed, type Term } from './filters'
import { pageStatement, type PreparedRead } from './statements'

interface CursorRead {
  read: PreparedRead
  terms: readonly Term[]
  place: CursorPlace
  limit: number
  /** The cursor of a place; undefined where the place cannot be written. */
  cursorAt(place: TokenPlace): Cursor | undefined
}

/** What a request asks for. */
interface CursorRequest {
  app: App
  read: PreparedRead
  selection: Extract<PageSelection, { mode: 'cursor' }>
  order: readonly OrderBy[]
}

type Row = readonly unknown[]

/** The rows of a cursor page in the order of the collection, and its neighbours; throws `invalid-input` for cursors that are none. */
export async function readCursorPage(
  request: CursorRequest,
): Promise<{ rows: readonly Row[]; next?: Cursor; previous?: Cursor }> {
  const { app, selection } = request
  const { limit } = selection
  const input = cursorRead(request)
  const { terms, place } = input
  if (limit === 0) return { rows: [] }
  // Going back is going forward in the reversed order.
  const way = place.isBackward ? reversed(terms) : terms
  const hasNeighbour = place.start !== undefined && !place.stop
  const statements = [pageOf(input, way), ...(hasNeighbour ? [neighbourOf(input, way)] : [])]
  const [found = [], neighbours = []] = await app.db.readRows(statements)
  const rows: Row[] = found.slice(0, limit)
  const last = rows.at(-1)
  const ahead = last && found.length > limit ? cursorBeside(input, last, place.isBackward) : undefined
  const behind = cursorBehind(input, rows[0], neighbours[0])
  if (!place.isBackward) return { rows, next: ahead, previous: behind }
  return { rows: rows.toReversed(), next: behind, previous: ahead }
}

function cursorRead({ app, read, selection, order }: CursorRequest): CursorRead {
  const { limit, via, format, cursor } = selection
  const terms = cursorOrder(read.plan, order, via)
  if (format === 'bounds') {
    const place = readBounds(terms, cursor.bounds)
    return { read, terms, limit, place, cursorAt: at => boundsAt(terms, at) }
  }
  const of = `${getTableName(read.plan.source.root)} ${orderKey(terms)} ${read.filterKey}`
  const token = cursor.token === undefined ? undefined : readToken(app, of, cursor.token)
  const place = token ? { ...token, start: token.values } : { isBackward: false, isInclusive: false }
  return { read, terms, limit, place, cursorAt: at => ({ token: writeToken(app, of, at) }) }
}

function pageOf({ read, place, limit }: CursorRead, way: readonly Term[]) {
  const { start, stop, isInclusive } = place
  const nulls = (values: readonly ReadArg[] | undefined) => values?.map(value => value === null)
  const key = `page ${orderKey(way)} ${placeKey(start)} ${placeKey(stop?.values)} ${isInclusive}`
  const statement = read.statement({ key, terms: way }, (scope, conditions) => {
    const isNull = nulls(start)
    const stopNulls = nulls(stop?.values)
    const within = stopNulls
      ? afterTuple({ terms: reversed(way), isNull: stopNulls, isInclusive: false, slots: 'stop' })
      : []
    const window = within.length > 0 ? [fragment`((${joined(within, ') or (')}))`] : []
    return pageStatement({
      plan: read.plan,
      scope,
      conditions: [...conditions, ...window],
      terms: way,
      stretches: isNull && afterTuple({ terms: way, isNull, isInclusive, slots: 'cursor' }),
    })
  })
  return bind(statement, valuesOf(read, place, limit + 1))
}

// The nearest row on the other side of the start, by one seek.
function neighbourOf({ read, place }: CursorRead, way: readonly Term[]) {
  const { start = [], isInclusive } = place
  const back = reversed(way)
  const key = `neighbour ${orderKey(back)} ${placeKey(start)} ${isInclusive}`
  const statement = read.statement({ key }, (scope, conditions) => {
    const isNull = start.map(value => value === null)
    return pageStatement({
      plan: read.plan,
      scope,
      conditions,
      terms: back,
      stretches: afterTuple({ terms: back, isNull, isInclusive: !isInclusive, slots: 'cursor' }),
      select: joined(
        back.map(({ field }) => field.sql),
        ', ',
      ),
    })
  })
  return bind(statement, valuesOf(read, place, 1))
}

const placeKey = (values: readonly ReadArg[] | undefined): string =>
  values?.map(value => (value === null ? 'n' : 'v')).join('') ?? '-'

const valuesOf = (read: PreparedRead, { start, stop }: CursorPlace, limit: number): SlotValues => ({
  ...read.values,
  cursor: start,
  stop: stop?.values,
  part: { limit },
})

function cursorBeside({ terms, place, cursorAt }: CursorRead, row: Row, isBackward: boolean): Cursor | undefined {
  const values = terms.map(({ field }) => row[field.at] as ReadArg)
  const cursor = cursorAt({ values, isBackward, isInclusive: false })
  if (!place.stop || !cursor || !('bounds' in cursor)) return cursor
  return { bounds: [...cursor.bounds, ...place.stop.bounds] }
}

function cursorBehind(input: CursorRead, first: Row | undefined, neighbour: Row | undefined): Cursor | undefined {
  const { place, cursorAt } = input
  if (!neighbour || !place.start) return undefined
  const isBackward = !place.isBackward
  if (first) return cursorBeside(input, first, isBackward)
  const isAtStart = place.start.every((value, index) => value === neighbour[index])
  return cursorAt({ values: place.start, isBackward, isInclusive: isAtStart && !place.isInclusive })
}

// Bounds cannot hold the row at the place itself, but for whole numbers.
function boundsAt(terms: readonly Term[], { values, isBackward, isInclusive }: TokenPlace): Cursor | undefined {
  if (!isInclusive) return { bounds: writeBounds(terms, values, isBackward) }
  const last = values.length - 1
  const { field, isDescending } = terms[last]!
  const value = values[last]
  if (typeof value !== 'number' || (field.type.kind !== 'integer' && field.type.kind !== 'date')) return undefined
  const beyond = isDescending === isBackward ? value - 1 : value + 1
  return { bounds: writeBounds(terms, [...values.slice(0, last), beyond], isBackward) }
}
