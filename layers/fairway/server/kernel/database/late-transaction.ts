import type { Transaction } from '@libsql/client'
import { isBusy } from './database-error'
import { retryBusy } from './retry-busy'

/**
 * A transaction of a libSQL server, which begins together with its first statement: that statement waits for the lock
 * until `deadline` (clock of `performance.now()`), in a new transaction each time, and the others follow it.
 */
export async function openLateTransaction(begin: () => Promise<Transaction>, deadline: number): Promise<Transaction> {
  let transaction = await begin()
  let first: Promise<unknown> | undefined

  async function call<T>(run: (open: Transaction) => Promise<T>): Promise<T> {
    if (first) {
      await first.catch(() => {})
      return run(transaction)
    }
    const opening = retryBusy(() => attempt(run), deadline)
    first = opening
    return opening
  }

  async function attempt<T>(run: (open: Transaction) => Promise<T>): Promise<T> {
    try {
      return await run(transaction)
    } catch (error) {
      if (isBusy(error)) {
        transaction.close()
        transaction = await begin()
      }
      throw error
    }
  }

  return {
    execute: statement => call(open => open.execute(statement)),
    batch: statements => call(open => open.batch(statements)),
    executeMultiple: sql => call(open => open.executeMultiple(sql)),
    commit: () => call(open => open.commit()),
    rollback: () => call(open => open.rollback()),
    close: () => transaction.close(),
    get closed() {
      return transaction.closed
    },
  }
}
