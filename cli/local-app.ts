import { join } from 'node:path'
import { createApp } from '../server/compose'
import { findLocalIdentity } from '../server/domains/accounts'
import type { App } from '../server/foundation/app-context'
import { pendingMigrations } from '../server/foundation/database/pending-migrations'
import { readMigrationFolder } from '../server/foundation/database/read-migration-folder'
import { AppError } from '../server/foundation/http/app-error'
import fwConfig from '../server/fw.config'
import type { Session } from '../shared/schemas/session'

/** The app context of this folder's own settings, in development unless NODE_ENV says otherwise; its log goes to standard error. */
export async function openLocalApp(root: string): Promise<App> {
  const env = { NODE_ENV: 'development', FW_LOG_LEVEL: 'warn', ...process.env }
  const app = await createApp({ env, fwConfig, write: line => process.stderr.write(`${line}\n`) })
  const pending = await pendingMigrations(app.db, await readMigrationFolder(join(root, 'drizzle')))
  if (pending.length === 0) return app
  await app.db.close()
  throw new AppError('unavailable', {
    cause: `The database is not up to date (${pending.length} migrations). Start the application once.`,
  })
}

/** The session that an action sees when it is run from the command line. */
export async function localSession(app: App): Promise<Session> {
  const person = await findLocalIdentity(app)
  const now = app.now().toISOString()
  return { ...person, orgId: null, orgName: null, orgRole: null, provider: 'cli', createdAt: now, expiresAt: now }
}
