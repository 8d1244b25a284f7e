// A rehearsal runs code in one transaction, finds out which rows it would write, and rolls everything back.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Client, InStatement, ResultSet, Transaction } from '@libsql/client'
import { AppError } from '../http/app-error'
import { createMutex, type Mutex } from './mutex'
import { type RowClient, rowsOf } from './orm'
import { literal, quoteName, textOf, toStatement, withArgs } from './sql-text'

/** A row that a rehearsal wrote. */
export interface RehearsedRow {
  table: string
  /** Null in a table without `id`. */
  id: string | null
  /** How the row differs after the rehearsal. A row that was created and deleted again is not listed. */
  kind: 'created' | 'updated' | 'deleted'
}

interface Rehearsal {
  client: RowClient
  hasEnded: boolean
  /** The first thing outside the database that the code called. */
  outside?: string
}

/** While a rehearsal holds the only write lock, everybody else waits. */
const LONGEST_IN_MS = 2000
const LOG = 'fw_rehearsed'

const rehearsals = new AsyncLocalStorage<Rehearsal | undefined>()

/** Whether the calling code is rehearsed: nothing that it does may last. */
export const isRehearsing = (): boolean => rehearsals.getStore() !== undefined

/** The client of the rehearsal that the calling code belongs to. Throws `timed-out` for code that goes on after its end. */
export function rehearsalClient(): RowClient | undefined {
  const rehearsal = rehearsals.getStore()
  if (rehearsal?.hasEnded) throw new AppError('timed-out')
  return rehearsal?.client
}

/** Notes that rehearsed code reached something that a rollback does not undo. The rehearsal then fails. */
export function noteOutside(what: string): void {
  const rehearsal = rehearsals.getStore()
  if (rehearsal) rehearsal.outside ??= what
}

/** Throws `cannot-rehearse` in a rehearsal, before something happens that a rollback does not undo. */
export function refuseInRehearsal(what: string): void {
  if (isRehearsing()) throw cannotRehearse(`It would reach ${what}.`)
}

/** The error for work that cannot be rehearsed. */
export const cannotRehearse = (detail: string): AppError => new AppError('cannot-rehearse', { detail })

/** Returns a client whose calls belong to the rehearsal of the calling code, where there is one. */
export function rehearsable<Of extends RowClient>(client: Of): Of {
  return new Proxy(client, {
    get(target, name) {
      const held = BY_REHEARSAL.has(name) ? rehearsalClient() : undefined
      return Reflect.get(held ?? target, name)
    },
  })
}

const BY_REHEARSAL = new Set<unknown>([
  'execute',
  'rows',
  'batch',
  'transaction',
  'migrate',
  'executeMultiple',
] satisfies (keyof RowClient)[])

/**
 * Runs `work` in a transaction that is rolled back, and returns its result with the rows that it wrote. `look` runs at the end,
 * while the rows are still as the work left them. Throws `timed-out` after two seconds, and `cannot-rehearse` for code that
 * reached outside the database, or whose writes could not all be followed.
 */
export async function rehearse<T, Seen>(
  client: Client,
  work: () => Promise<T>,
  look: (rows: RehearsedRow[]) => Promise<Seen>,
): Promise<{ result: T; rows: RehearsedRow[]; seen: Seen }> {
  if (isRehearsing()) throw cannotRehearse('It is rehearsed already.')
  const transaction = await client.transaction('write')
  const counts = { undone: 0 }
  const rehearsal: Rehearsal = { client: heldClient(transaction, counts), hasEnded: false }
  const steps = async () => {
    await transaction.executeMultiple(await triggersOf(transaction))
    const before = await totalChanges(transaction)
    // A statement of the query builder runs when it is awaited, so this awaits it inside.
    const result = await rehearsals.run(rehearsal, async () => await work())
    const { rows, writes } = await readLog(transaction)
    // Each followed write also wrote a row of the log.
    const missed = (await totalChanges(transaction)) - before - counts.undone - 2 * writes
    if (missed !== 0) throw cannotRehearse('Not all of its writes could be followed.')
    if (rehearsal.outside) throw cannotRehearse(`It reached ${rehearsal.outside}. Declare it with \`external: true\`.`)
    return { result, rows, seen: await rehearsals.run(rehearsal, async () => await look(rows)) }
  }
  try {
    return await atMost(LONGEST_IN_MS, steps)
  } finally {
    rehearsal.hasEnded = true
    transaction.close()
  }
}

async function atMost<T>(limitInMs: number, work: () => Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const detail = `A rehearsal may take ${limitInMs / 1000} seconds.`
  const timer = setTimeout(() => reject(new AppError('timed-out', { detail })), limitInMs)
  try {
    return await Promise.race([work(), late])
  } finally {
    clearTimeout(timer)
  }
}

const FIND_TABLES = `select m.name as name, exists (select 1 from pragma_table_info(m.name) c where c.name = 'id') as hasId
  from sqlite_schema m where m.type = 'table' and m.name not like 'sqlite\\_%' escape '\\' and m.sql not like 'create virtual%'`

/** The log and the triggers that fill it, as SQL. Other connections never see them, and the rollback removes them. */
async function triggersOf(on: Transaction): Promise<string> {
  const { rows } = await on.execute(FIND_TABLES)
  const triggers = rows.flatMap(({ name, hasId }) =>
    EVENTS.map(({ event, row, kind }) => {
      const [trigger, table] = [quoteName(`${LOG}_${name}_${event}`), quoteName(String(name))]
      const values = `${literal(String(name))}, ${Number(hasId) === 1 ? `${row}.id` : 'null'}, '${kind}'`
      return `create trigger ${trigger} after ${event} on ${table} begin
        insert into ${LOG} (name, id, kind) values (${values}); end`
    }),
  )
  return [`create table ${LOG} (at integer primary key, name text, id, kind text)`, ...triggers].join(';\n')
}

const EVENTS = [
  { event: 'insert', row: 'new', kind: 'created' },
  { event: 'update', row: 'new', kind: 'updated' },
  { event: 'delete', row: 'old', kind: 'deleted' },
] as const

async function totalChanges(on: Transaction): Promise<number> {
  const { rows } = await on.execute('select total_changes() as n')
  return Number(rows[0]?.n)
}

/** The written rows in the order of their first write, and how many writes there were. */
async function readLog(on: Transaction): Promise<{ rows: RehearsedRow[]; writes: number }> {
  const { rows: logged } = await on.execute(`select name, id, kind from ${LOG} order by at`)
  const writes = logged.map(({ name, id, kind }) => ({
    table: String(name),
    id: id === null || id === undefined ? null : String(id),
    kind: kind as RehearsedRow['kind'],
  }))
  const byRow = Map.groupBy(writes, ({ table, id }, at) => JSON.stringify([table, id ?? at, id === null]))
  const rows = [...byRow.values()].flatMap(([first, ...later]): RehearsedRow[] => {
    if (!first) return []
    const last = later.at(-1) ?? first
    const [wasThere, isThere] = [first.kind !== 'created', last.kind !== 'deleted']
    if (!wasThere && !isThere) return []
    return [{ ...first, kind: wasThere && isThere ? 'updated' : isThere ? 'created' : 'deleted' }]
  })
  return { rows, writes: writes.length }
}

/** A client whose statements all run in one open transaction; its transactions are savepoints. */
function heldClient(open: Transaction, counts: { undone: number }): RowClient {
  const run = runIn(open)
  const parts: Parts = { open, run, counts, turns: createMutex() }
  return {
    execute: (statement: InStatement | string, args?: Parameters<Client['execute']>[1]) =>
      run(withArgs(statement, args)),
    rows: async statement => rowsOf(await run(statement)),
    async batch(statements) {
      const nested = await savepoint(parts)
      try {
        const results: ResultSet[] = []
        for (const statement of statements) results.push(await nested.execute(toStatement(statement)))
        await nested.commit()
        return results
      } catch (error) {
        await nested.rollback()
        throw error
      }
    },
    transaction: () => savepoint(parts),
    migrate: refuseText,
    executeMultiple: refuseText,
    sync: async () => undefined,
    reconnect() {},
    close() {},
    closed: false,
    protocol: 'file',
  }
}

const FOLLOWED = /^\s*(?:insert|update|delete|replace|select|with|values)\b/i

const refuseText = async (): Promise<never> => {
  throw cannotRehearse('It runs something else than reads and writes of rows.')
}

// The database's own requests to its server are not outside.
const runIn =
  (open: Transaction): Run =>
  statement =>
    FOLLOWED.test(textOf(statement)) ? rehearsals.run(undefined, () => open.execute(statement)) : refuseText()

type Run = (statement: InStatement) => Promise<ResultSet>

interface Parts {
  open: Transaction
  run: Run
  counts: { undone: number }
  turns: Mutex
}

/** A transaction inside the rehearsal; one at a time, like those of the database. */
async function savepoint({ open, run, counts, turns }: Parts): Promise<Transaction> {
  const endTurn = await turns.acquire()
  let hasEnded = false
  const mark = (sql: string) => rehearsals.run(undefined, () => open.execute(sql))
  const end = async (undoes: boolean) => {
    if (hasEnded) return
    hasEnded = true
    try {
      if (undoes) counts.undone += (await totalChanges(open)) - began
      if (undoes) await mark('rollback to rehearsed')
      await mark('release rehearsed')
    } finally {
      endTurn()
    }
  }
  const began = await totalChanges(open)
  await mark('savepoint rehearsed')
  return {
    execute: run,
    async batch(statements) {
      const results: ResultSet[] = []
      for (const statement of statements) results.push(await run(toStatement(statement)))
      return results
    },
    executeMultiple: refuseText,
    commit: () => end(false),
    rollback: () => end(true),
    close: () => void end(true).catch(() => {}),
    get closed() {
      return hasEnded
    },
  }
}
