import type { RowStatement } from '#fairway/server/kernel/database/client'
import { afterTuple } from './after-tuple'
import { bind, type Fragment, type ReadArg } from './fragment'
import { orderKey, type Term } from './order'
import { pageStatement } from './page-statement'
import type { PreparedRead } from './prepared-read'

/** A stretch of an order, counted from its beginning or from a place. */
export interface Part {
  offset: number
  limit: number
}

/** What is cut, and which values are read of each row; everything when `select` is not given. */
export interface Cut {
  read: PreparedRead
  terms: readonly Term[]
  /** The values of the row before; the order from its beginning without them. */
  after?: readonly ReadArg[]
  select?: Fragment
}

/** The statement of a part of an order. */
export function cutStatement({ read, terms, after, select }: Cut, { offset, limit }: Part): RowStatement {
  const hasOffset = offset > 0
  const isNull = after?.map(value => value === null)
  const key = `cut ${hasOffset} ${select?.text ?? ''} ${isNull?.join() ?? ''} ${orderKey(terms)}`
  const statement = read.statement({ key, terms }, (scope, conditions) =>
    pageStatement({
      plan: read.plan,
      scope,
      conditions,
      terms,
      hasOffset,
      select,
      stretches: isNull && afterTuple({ terms, isNull, isInclusive: false, slots: 'cursor' }),
    }),
  )
  return bind(statement, { ...read.values, cursor: after, part: { limit, offset, reach: limit + offset } })
}
