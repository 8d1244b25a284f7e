import { constants, copyFile, mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import { platformDir } from '../modules/registry/roots'
import { sha256 } from '../server/kernel/crypto/hash'
import { openDatabase } from '../server/kernel/database/client'
import { migrateAll } from '../server/kernel/database/migrate'
import { readMigrationFolder, type ShippedMigrations } from '../server/kernel/database/migrations'
import { createLog } from '../server/kernel/events/log'

/** Returns the migrations of the platform and of the application in this folder. */
const migrationsOf = async (rootDir: string): Promise<ShippedMigrations> => ({
  platform: await readMigrationFolder(join(platformDir, 'drizzle')),
  application: await readMigrationFolder(join(rootDir, 'drizzle')),
})

const quietLog = createLog(
  () => {},
  'error',
  () => new Date(),
)

/**
 * Creates a database file with all tables of the application, unless the file exists. The migrations run once per machine and are
 * cached in the system's temporary folder until they change.
 */
export async function copyMigratedDatabase(rootDir: string, path: string): Promise<void> {
  const migrations = await migrationsOf(rootDir)
  const hashes = [...migrations.platform, '', ...migrations.application].map(each =>
    typeof each === 'string' ? each : `${each.name} ${each.hash}`,
  )
  const folder = join(tmpdir(), `fairway-databases-${userInfo().username}`)
  const template = join(folder, `${sha256(hashes.join('\n')).slice(0, 32)}.db`)
  if (!(await isFile(template))) await makeTemplate(folder, template, migrations)
  await mkdir(dirname(path), { recursive: true })
  await copyFile(template, path, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    },
  )
}

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    stats => stats.isFile(),
    () => false,
  )

/** Several processes may do this at the same time, so the file gets its final name only when it is complete. */
async function makeTemplate(folder: string, template: string, migrations: ShippedMigrations): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const making = await mkdtemp(join(folder, 'making-'))
  const file = join(making, 'migrated.db')
  try {
    const db = await openDatabase({ url: `file:${file}`, log: quietLog })
    await migrateAll(db, migrations, quietLog)
    // Checkpoint before closing: a copy would miss the data that is only in the log beside the file.
    await db.client.execute('pragma wal_checkpoint(truncate)')
    await db.close()
    await rename(file, template)
  } finally {
    await rm(making, { recursive: true, force: true })
  }
}
