import type { Client, InArgs, InStatement, Transaction, TransactionMode } from '@libsql/client'
import type { Log } from '../events/log'
import { openLateTransaction } from './late-transaction'
import type { Link } from './link'
import type { NativeReader } from './native-reader'
import { plainArgs } from './native-result'
import { serialTransaction } from './serial-transaction'
import type { Turns } from './turns'

export interface SerialClientOptions {
  link: Link
  turns: Turns
  /** Answers single SELECTs of a file database from kept statements. */
  reader?: NativeReader
  log: Log
  /** How long an open transaction may lie idle before it is rolled back. */
  idleLimitInMs: number
}

type Statement = InStatement | [string, InArgs?]

const READ = /^\s*select\b/i

/** The client with its calls in turns: one write or transaction at a time, and what finds the database locked waits. */
export function createSerialClient(options: SerialClientOptions): Client {
  const { turns, reader } = options
  const { client } = options.link
  return {
    execute(statement: InStatement, args?: InArgs) {
      const [sql, values] = typeof statement === 'string' ? [statement, args] : [statement.sql, statement.args]
      const run = () => client.execute({ sql, args: values })
      if (!READ.test(sql)) return turns.write(run)
      const plain = reader && plainArgs(values)
      return plain ? reader.select(sql, plain) : turns.read(run)
    },
    batch(statements, mode = modeOf(statements)) {
      const run = () => client.batch(statements, mode)
      return mode === 'read' ? turns.read(run) : turns.write(run)
    },
    migrate: statements => turns.write(() => options.link.migrate(statements)),
    executeMultiple: sql => turns.writeOnce(() => client.executeMultiple(sql)),
    transaction: (mode?: TransactionMode) => openTransaction(options, mode),
    sync: () => turns.read(() => client.sync()),
    reconnect: () => client.reconnect(),
    close: () => client.close(),
    get closed() {
      return client.closed
    },
    get protocol() {
      return client.protocol
    },
  }
}

async function openTransaction(options: SerialClientOptions, mode?: TransactionMode): Promise<Transaction> {
  const { link, turns, log, idleLimitInMs } = options
  const begin = () => link.client.transaction(mode)
  const { value, release } = await turns.hold(until => (link.isSingle ? begin() : openLateTransaction(begin, until)))
  return serialTransaction(value, {
    call: link.call,
    log,
    idleLimitInMs,
    async onEnd(wasBusy) {
      try {
        if (wasBusy) await link.renew()
      } catch (error) {
        log.error('the database connection was not renewed', { error })
      } finally {
        release()
      }
    },
  })
}

const isRead = (statement: Statement): boolean => READ.test(textOf(statement))

function textOf(statement: Statement): string {
  if (typeof statement === 'string') return statement
  return Array.isArray(statement) ? statement[0] : statement.sql
}

// A batch takes the write lock at its beginning: taking it half-way fails when another process has written meanwhile.
const modeOf = (statements: Statement[]): TransactionMode => (statements.every(isRead) ? 'read' : 'write')
