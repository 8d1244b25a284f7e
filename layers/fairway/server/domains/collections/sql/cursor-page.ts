// Reads pages that continue from a cursor.
import { getTableName } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import type { Cursor, PageSelection } from '../collection'
import type { OrderBy } from '../effective-options'
import { orderedSql } from './fields'
import { orderKey, pageOrder, reversed, type Term } from './filters'
import { bind, fragment, joined, type SlotValues } from './fragment'
import {
  type CursorPosition,
  keysetConditions,
  positionKey,
  readBounds,
  readToken,
  type TokenPosition,
  valuesAt,
  writeBounds,
  writeToken,
} from './keyset'
import type { ReadPlan } from './read-plan'
import { pageStatement, type PreparedRead } from './statements'

/** The cursor request of a client. */
interface CursorRequest {
  app: App
  read: PreparedRead
  selection: Extract<PageSelection, { mode: 'cursor' }>
}

type Row = readonly unknown[]

/**
 * The rows of a cursor page in the order of the collection, and the cursors of its neighbours. Throws `invalid-input` for invalid
 * cursors.
 */
export async function readCursorPage(
  request: CursorRequest,
): Promise<{ rows: readonly Row[]; next?: Cursor; previous?: Cursor }> {
  const { read, selection } = request
  const { limit } = selection
  const input = cursorRead(request)
  const { terms, position } = input
  if (limit === 0) return { rows: [] }
  // The previous page is the next page in the reversed order.
  const way = position.isBackward ? reversed(terms) : terms
  const hasNeighbour = position.start !== undefined && !position.stop
  const statements = [pageOf(input, way), ...(hasNeighbour ? [neighbourOf(input, way)] : [])]
  const [withNext = [], neighbours = []] = await read.rows(statements)
  const rows: Row[] = withNext.slice(0, limit)
  const last = rows.at(-1)
  const ahead = last && withNext.length > limit ? cursorBeside(input, last, position.isBackward) : undefined
  const behind = cursorBehind(input, rows[0], neighbours[0])
  if (!position.isBackward) return { rows, next: ahead, previous: behind }
  return { rows: rows.toReversed(), next: behind, previous: ahead }
}

function cursorRead({ app, read, selection }: CursorRequest) {
  const { limit, via, format, cursor } = selection
  const terms = cursorTerms(read.plan, via)
  if (format === 'bounds') {
    const position = readBounds(terms, cursor.bounds)
    return { read, terms, limit, position, cursorTo: (at: TokenPosition) => boundsAt(terms, at) }
  }
  const of = `${getTableName(read.plan.source.root)} ${orderKey(terms)} ${read.filterKey}`
  const token = cursor.token === undefined ? undefined : readToken(app, of, cursor.token)
  const position: CursorPosition = token ? { ...token, start: token.values } : { isBackward: false, isInclusive: false }
  /** The cursor of a position; undefined when the format cannot express it. */
  const cursorTo = (at: TokenPosition): Cursor | undefined => ({ token: writeToken(app, of, at) })
  return { read, terms, limit, position, cursorTo }
}

/** The order of a cursor; the key has the direction of the final field. */
export const cursorTerms = (plan: ReadPlan, via: readonly OrderBy[]): Term[] =>
  pageOrder(plan, via, via.at(-1)?.direction)

type CursorRead = ReturnType<typeof cursorRead>

function pageOf({ read, position, limit }: CursorRead, way: readonly Term[]) {
  const { start, stop, isInclusive } = position
  const key = `page ${orderKey(way)} ${positionKey(start)} ${positionKey(stop?.values)} ${isInclusive}`
  const statement = read.statement({ key, terms: way }, (scope, conditions) => {
    const within = stop
      ? keysetConditions({ terms: reversed(way), values: stop.values, isInclusive: false, slots: 'stop' })
      : []
    const window = within.length > 0 ? [fragment`((${joined(within, ') or (')}))`] : []
    return pageStatement({
      plan: read.plan,
      scope,
      conditions: [...conditions, ...window],
      terms: way,
      ranges: start && keysetConditions({ terms: way, values: start, isInclusive, slots: 'cursor' }),
    })
  })
  return bind(statement, valuesOf(read, position, limit + 1))
}

// Finds the nearest row on the other side of the start with one seek.
function neighbourOf({ read, position }: CursorRead, way: readonly Term[]) {
  const { start = [], isInclusive } = position
  const back = reversed(way)
  const key = `neighbour ${orderKey(back)} ${positionKey(start)} ${isInclusive}`
  const statement = read.statement({ key }, (scope, conditions) =>
    pageStatement({
      plan: read.plan,
      scope,
      conditions,
      terms: back,
      ranges: keysetConditions({ terms: back, values: start, isInclusive: !isInclusive, slots: 'cursor' }),
      select: joined(
        back.map(({ field }) => orderedSql(field)),
        ', ',
      ),
    }),
  )
  return bind(statement, valuesOf(read, position, 1))
}

const valuesOf = (read: PreparedRead, { start, stop }: CursorPosition, limit: number): SlotValues => ({
  ...read.values,
  cursor: start,
  stop: stop?.values,
  part: { limit },
})

function cursorBeside({ terms, position, cursorTo }: CursorRead, row: Row, isBackward: boolean): Cursor | undefined {
  const values = valuesAt(terms, row)
  const cursor = cursorTo({ values, isBackward, isInclusive: false })
  if (!position.stop || !cursor || !('bounds' in cursor)) return cursor
  return { bounds: [...cursor.bounds, ...position.stop.bounds] }
}

function cursorBehind(input: CursorRead, first: Row | undefined, neighbour: Row | undefined): Cursor | undefined {
  const { position, cursorTo } = input
  if (!neighbour || !position.start) return undefined
  const isBackward = !position.isBackward
  if (first) return cursorBeside(input, first, isBackward)
  const isAtStart = position.start.every((value, index) => value === neighbour[index])
  return cursorTo({ values: position.start, isBackward, isInclusive: isAtStart && !position.isInclusive })
}

// Bounds cannot include the row at the position, except for whole numbers.
function boundsAt(terms: readonly Term[], { values, isBackward, isInclusive }: TokenPosition): Cursor | undefined {
  if (!isInclusive) return { bounds: writeBounds(terms, values, isBackward) }
  const last = values.length - 1
  const { field, isDescending } = terms[last]!
  const value = values[last]
  if (typeof value !== 'number' || (field.type.kind !== 'integer' && field.type.kind !== 'date')) return undefined
  const beyond = isDescending === isBackward ? value - 1 : value + 1
  return { bounds: writeBounds(terms, [...values.slice(0, last), beyond], isBackward) }
}
