import type { App } from '../app-context'
import type { Runs } from '../owned-rows'

/** Runs work in a write transaction, which is rolled back when the work throws. */
export async function inTransaction<T>(app: App, work: (on: Runs) => Promise<T>): Promise<T> {
  const transaction = await app.db.client.transaction('write')
  try {
    const result = await work(transaction)
    await transaction.commit()
    return result
  } finally {
    // Rolls back uncommitted changes.
    transaction.close()
  }
}
