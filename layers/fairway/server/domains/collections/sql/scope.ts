import { getTableColumns, getTableName, is, sql } from 'drizzle-orm'
import { SQLiteColumn, type SQLiteTable } from 'drizzle-orm/sqlite-core'
import {
  accessibleTo,
  callerOf,
  callerPlaceholders,
  openToEveryone,
  policyOf,
  type SharedTable,
} from '#fairway/server/domains/organizations'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import type { CollectionScope, SqlDeclaration } from '../collection'
import { type Fragment, type ReadArg, render, type SlotValues } from './fragment'

/** The condition that selects the rows a session may see. */
export interface ScopeCondition {
  /** Conditions with the same key have the same SQL. */
  key: string
  condition?: Fragment
  values: SlotValues
  /** The columns that it compares with one value each; undefined for any other condition. */
  columns?: readonly string[]
}

/** The condition for the rows that a request sees. Throws `unauthenticated` when the scope needs a session and there is none. */
export type Scope = (session: Session | null) => ScopeCondition

const OWNABLE = ['id', 'ownerEmail', 'orgId', 'visibility'] as const

/**
 * Creates the scope of a declaration; `isForCaller` when values depend on the caller too. Throws when the table lacks the required
 * columns.
 */
export function createScope(
  table: SQLiteTable,
  { scope, public: isPublic }: Pick<SqlDeclaration, 'scope' | 'public'>,
  isForCaller: boolean,
): Scope {
  const declared = isPublic && policyOf(table) ? openScope(table as SharedTable) : scopeOf(table, scope)
  if (!isForCaller) return declared
  return session => {
    const { values, ...rest } = declared(session)
    return { ...rest, values: { ...values, caller: callerOf(required(session)) } }
  }
}

/** The rows of which everyone may read something. */
function openScope(table: SharedTable): Scope {
  const isOpen = openToEveryone(table)
  if (!isOpen) throw new Error(`public: the policy of ${getTableName(table)} has no 'everyone' for reading`)
  return () => ({ key: 'everyone', condition: render(isOpen), values: {} })
}

function scopeOf(table: SQLiteTable, scope: CollectionScope | undefined): Scope {
  if (scope === undefined || scope === 'everybody') return () => ({ key: '', values: {}, columns: [] })
  if (typeof scope === 'function') return functionScope(scope)
  const columns = getTableColumns(table)
  const missing = (scope === 'shared' ? OWNABLE : (['orgId'] as const)).filter(name => !is(columns[name], SQLiteColumn))
  if (missing.length > 0)
    throw new Error(
      `scope: '${scope}' needs the columns ${missing.join(', ')}; allowed without them: 'everybody' or a function`,
    )
  const condition = render(
    scope === 'shared' || policyOf(table)
      ? accessibleTo(table as Parameters<typeof accessibleTo>[0], callerPlaceholders)
      : sql`${columns.orgId} = ${callerPlaceholders.orgId}`,
  )
  const compared = scope === 'shared' || !columns.orgId ? undefined : [columns.orgId.name]
  return session => ({
    key: scope,
    condition,
    values: { caller: callerOf(required(session)) },
    columns: compared,
  })
}

function functionScope(scope: (session: Session) => Parameters<typeof render>[0]): Scope {
  return session => {
    const { text, args } = render(sql`(${scope(required(session))})`)
    const condition = { text, args: args.map((_, key) => ({ slot: 'scope' as const, key })) }
    return { key: text, condition, values: { scope: args.map(toConstant) } }
  }
}

function toConstant(arg: Fragment['args'][number]): ReadArg {
  if (typeof arg === 'object' && arg !== null) throw new Error('the scope of a collection holds a placeholder')
  return arg
}

function required(session: Session | null): Session {
  if (!session) throw new AppError('unauthenticated')
  return session
}
