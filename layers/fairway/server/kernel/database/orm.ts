import type { Client, InStatement, InValue, ResultSet, Transaction as ClientTransaction } from '@libsql/client'
import {
  Column,
  type DriverValueDecoder,
  fillPlaceholders,
  getTableName,
  is,
  noopDecoder,
  NoopLogger,
  Param,
  Placeholder,
  type Query,
  SQL,
  sql,
  Subquery,
  type Table,
} from 'drizzle-orm'
import { NoopCache } from 'drizzle-orm/cache/core'
// The index also loads the clients of libSQL servers.
import { LibSQLDatabase } from 'drizzle-orm/libsql/driver-core'
import { LibSQLPreparedQuery, LibSQLSession, LibSQLTransaction } from 'drizzle-orm/libsql/session'
import {
  type BaseSQLiteDatabase,
  type SelectedFieldsOrdered,
  SQLiteAsyncDialect,
  type SQLiteExecuteMethod,
} from 'drizzle-orm/sqlite-core'

type NoSchema = Record<string, never>

/** The query builder: `db.select().from(table)`. It has no schema; statements name their tables. */
export type Orm = LibSQLDatabase<NoSchema>

/** A transaction of `db.transaction`. It has no `batch`. */
export type Transaction = LibSQLTransaction<NoSchema, NoSchema>

/** The database or a transaction, for functions that work in both. */
export type Db = BaseSQLiteDatabase<'async', ResultSet, NoSchema>

/** Creates drizzle over a client; without shortcuts drizzle maps the rows. Errors of the client are passed on unchanged. */
export function createOrm(client: RowClient, shortcuts = true): Orm {
  const dialect = new SQLiteAsyncDialect()
  return new LibSQLDatabase('async', dialect, new PlainSession(client, dialect, shortcuts), undefined)
}

/** A statement with its values, as the query builder sends it. */
export const withValues = (statement: string, values: readonly unknown[]): SQL =>
  sql.join(
    statement.split('?').flatMap((part, at) => [sql.raw(part), ...values.slice(at, at + 1).map(each => sql`${each}`)]),
  )

/** The name of a table in the database, also where a query reads it under an alias. Shares, files and triggers know it by this. */
export const originalName = (table: Table): string => String(Reflect.get(table, Symbol.for('drizzle:OriginalName')))

/** A client that also returns rows as arrays, the only form that the query builder needs. */
export interface RowClient extends Client {
  /** Returns the rows of one statement, with the same values as `execute`. */
  rows(statement: InStatement): Promise<unknown[][]>
}

/** The rows of a result as arrays. */
export const rowsOf = ({ rows }: ResultSet): unknown[][] => rows.map(row => Array.from(row))

/**
 * A statement that determines once how its rows become objects. Its failures are the client's own: drizzle would wrap them in an
 * error whose text contains the parameters, so tokens and addresses would reach the log.
 */
class PlainQuery extends LibSQLPreparedQuery {
  #toArgs?: (values: Record<string, unknown>) => unknown[]
  #toObject?: ToObject

  constructor(
    readonly source: RowClient,
    readonly open: ClientTransaction | undefined,
    query: Query,
    // Drizzle keeps these parts of the statement under the same names.
    readonly shape: {
      fields?: SelectedFieldsOrdered
      method: SQLiteExecuteMethod
      isArray: boolean
      mapper?: RowsMapper
      shortcuts: boolean
    },
  ) {
    const { fields, method, isArray, mapper } = shape
    super(source, query, logger, cache, undefined, undefined, fields, open, method, isArray, mapper)
  }

  /** The fields from which this class maps rows; undefined where drizzle maps them. */
  get #quickFields(): SelectedFieldsOrdered | undefined {
    const { fields, mapper, shortcuts } = this.shape
    return shortcuts && !mapper ? fields : undefined
  }

  // Drizzle's types omit this method.
  queryWithCache<T>(_sql: string, _params: unknown[], query: () => Promise<T>): Promise<T> {
    return query()
  }

  override async all(values: Record<string, unknown> = {}): Promise<unknown> {
    const fields = this.#quickFields
    if (!fields) return super.all(values)
    return (await this.#rows(values)).map(this.#mapping(fields))
  }

  override async get(values: Record<string, unknown> = {}): Promise<unknown> {
    const fields = this.#quickFields
    if (!fields) return super.get(values)
    const [row] = await this.#rows(values)
    return row && this.#mapping(fields)(row)
  }

  // A batch returns a result of the client.
  override mapAllResult(result: unknown, isFromBatch?: boolean): unknown {
    const fields = this.#quickFields
    if (!fields || !isFromBatch) return super.mapAllResult(result, isFromBatch)
    return rowsOf(result as ResultSet).map(this.#mapping(fields))
  }

  async #rows(values: Record<string, unknown>): Promise<unknown[][]> {
    const { sql, params } = this.getQuery()
    this.#toArgs ??= argumentsOf(params)
    const statement = { sql, args: this.#toArgs(values) as InValue[] }
    return this.open ? rowsOf(await this.open.execute(statement)) : this.source.rows(statement)
  }

  #mapping(fields: SelectedFieldsOrdered): ToObject {
    // The builder sets `joinsNotNullableMap` after it creates the statement; drizzle's types omit it.
    const { joinsNotNullableMap } = this as { joinsNotNullableMap?: Record<string, boolean> }
    return (this.#toObject ??= objectMapping(fields, joinsNotNullableMap))
  }
}

type RowsMapper = (rows: unknown[][], mapColumnValue?: (value: unknown) => unknown) => unknown

/** Fills the placeholders of a statement, like drizzle's `fillPlaceholders`. */
function argumentsOf(params: unknown[]): (values: Record<string, unknown>) => unknown[] {
  const makers = params.map(param => {
    if (is(param, Placeholder)) return { name: param.name, encode: same }
    if (is(param, Param) && is(param.value, Placeholder))
      return { name: param.value.name, encode: (value: unknown) => param.encoder.mapToDriverValue(value) }
    return { value: param }
  })
  if (makers.every(maker => 'value' in maker)) return () => params
  return values =>
    makers.map(maker => {
      if ('value' in maker) return maker.value
      // Throws drizzle's error for the missing value.
      if (!Object.hasOwn(values, maker.name)) fillPlaceholders(params, values)
      return maker.encode(values[maker.name])
    })
}

const same = (value: unknown): unknown => value

type ToObject = (row: readonly unknown[]) => Record<string, unknown>

/** One place in the objects of a statement: a column of the rows, or a nested object. */
type Place = { name: string; column: number; decode?: (value: unknown) => unknown } | { name: string; inner: ToObject }

/**
 * Maps the rows of a statement to objects like drizzle's `mapResultRow`, but computes everything that does not depend on a row
 * only once. An object of a joined table is null where its first column is, if the join allows that.
 */
function objectMapping(fields: SelectedFieldsOrdered, joins: Record<string, boolean> | undefined): ToObject {
  const toObject = placesMapping(fields.map(({ path, field }, column) => ({ path, field, column })))
  const nullable = joins ? nullableObjects(fields, joins) : []
  if (nullable.length === 0) return toObject
  return row => {
    const object = toObject(row)
    for (const { name, first } of nullable) {
      const inner = object[name] as Record<string, unknown>
      if (inner[first] === null) object[name] = null
    }
    return object
  }
}

type Field = SelectedFieldsOrdered[number] & { column: number }

function placesMapping(fields: readonly Field[]): ToObject {
  const places = [...Map.groupBy(fields, ({ path }) => path[0] ?? '')].map(([name, group]): Place => {
    const [field] = group
    if (field?.path.length === 1) return { name, column: field.column, decode: decoding(field.field) }
    return { name, inner: placesMapping(group.map(inner => ({ ...inner, path: inner.path.slice(1) }))) }
  })
  // All objects start as copies of one, which is cheaper than adding the properties to each.
  const empty: Record<string, unknown> = Object.fromEntries(places.map(({ name }) => [name, undefined]))
  return row => {
    const object = { ...empty }
    for (const place of places) {
      if ('inner' in place) {
        object[place.name] = place.inner(row)
        continue
      }
      const value = row[place.column]
      object[place.name] = place.decode && value !== null ? place.decode(value) : value
    }
    return object
  }
}

function decoding(field: Field['field']): ((value: unknown) => unknown) | undefined {
  const decoder = decoderOf(field)
  const { mapFromDriverValue } = decoder
  const isSame =
    mapFromDriverValue === Column.prototype.mapFromDriverValue || mapFromDriverValue === noopDecoder.mapFromDriverValue
  return isSame ? undefined : value => decoder.mapFromDriverValue(value)
}

function decoderOf(field: Field['field']): DriverValueDecoder<unknown, unknown> {
  if (is(field, Column)) return field
  // Drizzle's types omit the decoder of an SQL text.
  const of = (statement: SQL) => (statement as unknown as { decoder: DriverValueDecoder<unknown, unknown> }).decoder
  if (is(field, SQL)) return of(field)
  return is(field, Subquery) ? of(field._.sql as SQL) : of(field.sql)
}

/** Returns the objects that are null where their first column is. */
function nullableObjects(
  fields: SelectedFieldsOrdered,
  joins: Record<string, boolean>,
): { name: string; first: string }[] {
  const columns = fields.flatMap(({ path, field }) => {
    const [name, first] = path
    return path.length === 2 && name !== undefined && first !== undefined && is(field, Column)
      ? [{ name, first, table: getTableName(field.table) }]
      : []
  })
  return [...Map.groupBy(columns, ({ name }) => name).values()].flatMap(([column, ...others]) => {
    if (!column || joins[column.table]) return []
    return others.every(({ table }) => table === column.table) ? [column] : []
  })
}

const logger = new NoopLogger()
const cache = new NoopCache()

class PlainSession extends LibSQLSession<NoSchema, NoSchema> {
  constructor(
    readonly queued: RowClient,
    readonly asyncDialect: SQLiteAsyncDialect,
    readonly shortcuts: boolean,
    readonly open?: ClientTransaction,
  ) {
    super(queued, asyncDialect, undefined, {}, open)
  }

  override prepareQuery: LibSQLSession<NoSchema, NoSchema>['prepareQuery'] = (query, fields, ...rest) => {
    const [method, isArray, mapper] = rest
    return new PlainQuery(this.queued, this.open, query, { fields, method, isArray, mapper, shortcuts: this.shortcuts })
  }

  override async transaction<T>(
    work: (transaction: LibSQLTransaction<NoSchema, NoSchema>) => T | Promise<T>,
  ): Promise<T> {
    const open = await this.queued.transaction('write')
    const session = new PlainSession(this.queued, this.asyncDialect, this.shortcuts, open)
    try {
      const result = await work(new LibSQLTransaction('async', this.asyncDialect, session, undefined))
      await open.commit()
      return result
    } catch (error) {
      await open.rollback()
      throw error
    }
  }
}

/**
 * Builds a drizzle statement once per database instead of at every call, which is most of its cost:
 * `const find = preparedQuery(db => db.select().from(notes).where(eq(notes.id, sql.placeholder('id'))).prepare())`,
 * then `await find(db).all({ id })`.
 */
export function preparedQuery<Statement extends object>(build: (db: Orm) => Statement): (db: Orm) => Statement {
  const statements = new WeakMap<Orm, Statement>()
  return db => {
    const statement = statements.get(db) ?? build(db)
    statements.set(db, statement)
    return statement
  }
}
