import type { Transaction } from '@libsql/client'
import type { Log } from '../events/log'
import { isBusy, toDatabaseError } from './database-error'
import type { Link } from './link'

export interface SerialTransactionOptions {
  call: Link['call']
  log: Log
  idleLimitInMs: number
  /** Called once when the transaction is over; `wasBusy` says that the connection must be renewed. Never rejects. */
  onEnd(wasBusy: boolean): Promise<void>
}

/** Wraps an open transaction so that it always ends: by its owner, or with a rollback after lying idle too long. */
export function serialTransaction(transaction: Transaction, options: SerialTransactionOptions): Transaction {
  const { log, idleLimitInMs, onEnd } = options
  let running = 0
  let wasBusy = false
  let hasEnded = false

  const idle = setTimeout(() => {
    if (running > 0) return
    log.error('a transaction was rolled back because it lay idle; inside it use only its own handle', { idleLimitInMs })
    close()
  }, idleLimitInMs).unref()

  async function end(): Promise<void> {
    if (hasEnded) return
    hasEnded = true
    clearTimeout(idle)
    await onEnd(wasBusy)
  }

  function close(): void {
    try {
      transaction.close()
    } finally {
      void end()
    }
  }

  async function call<T>(run: () => Promise<T>): Promise<T> {
    running += 1
    try {
      return await options.call(run)
    } catch (error) {
      wasBusy ||= isBusy(error)
      throw toDatabaseError(error)
    } finally {
      running -= 1
      if (!hasEnded) idle.refresh()
    }
  }

  return {
    execute: statement => call(() => transaction.execute(statement)),
    batch: statements => call(() => transaction.batch(statements)),
    executeMultiple: sql => call(() => transaction.executeMultiple(sql)),
    commit: () => call(() => transaction.commit()).finally(end),
    rollback: () => call(() => transaction.rollback()).finally(end),
    close,
    get closed() {
      return hasEnded || transaction.closed
    },
  }
}
