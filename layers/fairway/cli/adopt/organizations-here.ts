import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseEnv } from 'node:util'
import { databaseTarget } from '../../server/kernel/database/target'
import { suggestion } from '../../shared/nearest-name'
import { readIn } from '../project/changes'
import { UsageFault } from '../terminal'

/**
 * Throws a UsageFault when the application's database file has no organization of this name or ID. A database elsewhere is not
 * asked: there, the migration finds it.
 */
export function checkOrganization(root: string, wanted: string): void {
  const { DATABASE_URL, FW_DATA_DIR = '.data' } = { ...parseEnv(readIn(root, '.env') ?? ''), ...process.env }
  const target = databaseTarget(DATABASE_URL || `file:${FW_DATA_DIR}/fairway.db`)
  if (target.kind !== 'file') return
  const path = resolve(root, target.path)
  const names = existsSync(path) ? organizationsIn(path) : []
  if (names.some(({ id, name }) => id === wanted || name === wanted)) return
  const shown = names.map(({ name }) => name)
  throw new UsageFault(
    `There is no organization ${wanted} in ${target.path}.${suggestion(wanted, shown)} ${
      shown.length > 0
        ? `There are: ${shown.join(', ')}.`
        : 'Start the application with the platform, sign in and create it. Then run this again.'
    }`,
  )
}

function organizationsIn(path: string): { id: string; name: string }[] {
  const db = new DatabaseSync(path, { readOnly: true })
  try {
    const isMade = db.prepare("select 1 from sqlite_schema where type = 'table' and name = 'organizations'").get()
    if (!isMade) return []
    const rows = db.prepare('select id, name from organizations where deleted_at is null order by created_at').all()
    return rows.map(({ id, name }) => ({ id: String(id), name: String(name) }))
  } finally {
    db.close()
  }
}
