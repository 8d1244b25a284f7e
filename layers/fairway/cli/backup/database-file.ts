// Copies and checks database files. It uses another copy of SQLite, so no connection of the server may be open in this process.
import { open } from 'node:fs/promises'
import { backup, DatabaseSync } from 'node:sqlite'

/** How many pages are copied before the process handles other work. */
const PAGES_AT_ONCE = 500
const LOCK_WAIT_IN_MS = 10_000

export interface CopyReport {
  tables: number
  rows: number
  /** Empty when the copy is complete. */
  faults: string[]
}

/**
 * Copies the current state of a database file into a new file of mode 600, page by page, while others read and write. Then checks
 * the copy: its pages, its references, and the rows of each table. Throws EEXIST when the target exists.
 */
export async function copyDatabase(
  from: string,
  to: string,
  onProgress: (part: number) => void = () => {},
): Promise<CopyReport> {
  const file = await open(to, 'wx', 0o600)
  await file.close()
  const source = new DatabaseSync(from, { timeout: LOCK_WAIT_IN_MS })
  try {
    source.exec('pragma query_only = on; begin')
    // The transaction reads the state of this moment to the end, even while others write: in WAL mode it blocks no writer.
    const rows = rowCounts(source)
    await backup(source, to, {
      rate: PAGES_AT_ONCE,
      progress: ({ totalPages, remainingPages }) => onProgress(1 - remainingPages / totalPages),
    })
    source.exec('commit')
    const copied = checkDatabase(to)
    const differing = [...rows].filter(([table, count]) => copied.rows.get(table) !== count)
    const faults = [
      ...copied.faults,
      ...differing.map(([table, count]) => `${table}: ${copied.rows.get(table) ?? 'no'} of ${count} rows`),
    ]
    return { tables: rows.size, rows: sum(rows.values()), faults }
  } finally {
    source.close()
  }
}

export interface DatabaseCheck {
  /** The number of rows by table. */
  rows: Map<string, number>
  faults: string[]
  /** The names of the migrations that have run in it, from the platform and the application. */
  migrations: string[]
}

const MOST_FAULTS = 10
const JOURNALS = ['fw_migrations', 'fw_application_migrations']

/**
 * Checks the pages, references and rows of a database file that no other process writes to. Reports a file that is not a database
 * as a fault.
 */
export function checkDatabase(path: string): DatabaseCheck {
  const check: DatabaseCheck = { rows: new Map(), faults: [], migrations: [] }
  const database = new DatabaseSync(path)
  try {
    // This mode leaves a single file, without a journal beside it.
    database.exec('pragma journal_mode = delete')
    for (const row of database.prepare(`pragma integrity_check(${MOST_FAULTS})`).all()) {
      const said = String(row.integrity_check)
      if (said !== 'ok') check.faults.push(said)
    }
    for (const row of database.prepare('pragma foreign_key_check').all().slice(0, MOST_FAULTS))
      check.faults.push(`${row.table}: row ${row.rowid} refers to ${row.parent}, where there is none`)
    check.rows = rowCounts(database)
    check.migrations = migrationsIn(database)
    if (check.migrations.length === 0) check.faults.push('no migration of this platform has run in it')
  } catch (error) {
    check.faults.push(error instanceof Error ? error.message : String(error))
  } finally {
    database.close()
  }
  return check
}

export const sum = (numbers: Iterable<number>): number => [...numbers].reduce((all, one) => all + one, 0)

function rowCounts(database: DatabaseSync): Map<string, number> {
  const tables = database
    .prepare(
      "select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\' order by name",
    )
    .all()
  const count = (name: string) =>
    Number(database.prepare(`select count(*) as n from "${name.replaceAll('"', '""')}"`).get()?.n)
  return new Map(tables.map(({ name }) => [String(name), count(String(name))]))
}

function migrationsIn(database: DatabaseSync): string[] {
  const tables = database.prepare("select name from sqlite_master where type = 'table'").all()
  const names = new Set(tables.map(({ name }) => name))
  return JOURNALS.filter(journal => names.has(journal)).flatMap(journal =>
    database
      .prepare(`select name from ${journal}`)
      .all()
      .map(({ name }) => String(name)),
  )
}

/** Sets the journal mode that servers use: a process that has the file open cannot change the mode. */
export function prepareForServers(path: string): void {
  const database = new DatabaseSync(path)
  try {
    database.exec('pragma journal_mode = wal')
  } finally {
    database.close()
  }
}

/** The id that the marker beside the files of this database has; undefined when there is none yet. */
export function markerIn(path: string): string | undefined {
  const database = new DatabaseSync(path)
  try {
    const hasTable = database.prepare("select 1 from sqlite_master where name = 'fw_installation'").get()
    const row = hasTable && database.prepare('select id from fw_installation where marked_at is not null').get()
    return row ? String(row.id) : undefined
  } finally {
    database.close()
  }
}

/** Whether another process has this database open; undefined when SQLite cannot tell, because the file is damaged. */
export function isInUse(path: string): boolean | undefined {
  const database = new DatabaseSync(path)
  try {
    // In WAL mode, each process that has the database open shares a lock, and exclusive mode requires the whole lock.
    database.exec('pragma locking_mode = exclusive')
    database.prepare('select count(*) from sqlite_master').get()
    return false
  } catch (error) {
    return error instanceof Error && /locked/.test(error.message) ? true : undefined
  } finally {
    database.close()
  }
}
