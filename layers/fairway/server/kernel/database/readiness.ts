import type { App } from '../app-context'
import type { ShippedMigrations } from './migration'
import { allPending } from './pending-migrations'

export interface Readiness {
  status: 'ready' | 'not-ready'
  checks: {
    database: 'ok' | 'failed'
    migrations: 'ok' | 'pending' | 'unknown'
    stopping: boolean
    devAccount?: 'refused'
  }
}

/** Whether the database answers and holds every shipped migration, the platform's and the application's; causes go to the log, not into the answer. */
export async function readiness(app: App, shipped: ShippedMigrations, stopping: boolean): Promise<Readiness> {
  const checks: Readiness['checks'] = { database: 'failed', migrations: 'unknown', stopping }
  try {
    await app.db.ping()
    checks.database = 'ok'
    checks.migrations = (await allPending(app.db, shipped)).length === 0 ? 'ok' : 'pending'
  } catch (error) {
    app.log.error('readiness check failed', { error })
  }
  const isReady = checks.database === 'ok' && checks.migrations === 'ok' && !stopping
  return { status: isReady ? 'ready' : 'not-ready', checks }
}
