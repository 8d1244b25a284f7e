// The work of `fw export --to postgres`.
import { existsSync } from 'node:fs'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { readEnv } from '../../server/kernel/config/env'
import { quoteName } from '../../server/kernel/database/sql-text'
import { timeName } from '../backup/backup'
import { say, showProgress, UsageFault } from '../terminal'
import { type Note, postgresSchema } from './postgres-schema'
import { readTables, type Table } from './read-tables'
import { openSnapshot, type Snapshot } from './snapshot'
import { rowsOf, type Write, writeDump } from './write-dump'

interface ExportOptions {
  file?: string
  to: string
  'dry-run': boolean
  force: boolean
  'replace-nul': boolean
  json: boolean
}

/**
 * Writes the database of this folder's settings as SQL for PostgreSQL into a new file of mode 600; returns the exit code. Throws
 * when the file exists, or a text contains NUL.
 */
export async function exportToPostgres(options: ExportOptions): Promise<number> {
  if (options.to !== 'postgres') throw new UsageFault(`\`${options.to}\` is not supported. Use --to postgres.`)
  const env = readEnv(process.env)
  const isDryRun = options['dry-run']
  const to = resolve(options.file ?? join(env.FW_DATA_DIR ?? '.data', 'exports', `${timeName()}.sql`))
  if (existsSync(to) && !options.force && !isDryRun)
    throw new Error(`${to} is there already. Nothing was written. Replace it with --force.`)
  const snapshot = await openSnapshot(env)
  try {
    const read = await readTables(snapshot, name => showProgress(`looking at ${name}`))
    const { tables } = read
    const schema = await postgresSchema(snapshot, read)
    schema.notes.push(...(await textsWithNul(snapshot, tables, options['replace-nul'])))
    const bytes = isDryRun ? 0 : await inNewFile(to, write => writeDump(snapshot, { tables, schema }, write))
    showProgress('')
    if (options.json) {
      const counts = tables.map(({ name, rows }) => ({ name, rows }))
      say(JSON.stringify({ isDryRun, file: isDryRun ? null : to, bytes, tables: counts, notes: schema.notes }))
    } else report(isDryRun ? undefined : { to, bytes }, tables, schema.notes)
    return 0
  } finally {
    snapshot.close()
  }
}

const MOST_PLACES = 10

/** Finds texts with NUL, which PostgreSQL cannot store; throws with their rows unless they are replaced. */
async function textsWithNul({ read }: Snapshot, tables: readonly Table[], isReplaced: boolean): Promise<Note[]> {
  const notes: Note[] = []
  for (const { name, key, order, columns } of tables)
    for (const column of columns.filter(({ withNul, type }) => withNul > 0 && type !== 'bytea')) {
      const place = key.length > 0 ? key.map(quoteName) : order
      const rows = await read(
        `select ${place.join(', ')} from ${quoteName(name)} where typeof(${quoteName(column.name)}) = 'text' and instr(${quoteName(column.name)}, char(0)) limit ${MOST_PLACES}`,
      )
      const [keys, more] = [rows.map(row => row.join(' / ')).join(', '), column.withNul > rows.length ? ', …' : '']
      notes.push({
        kind: 'column',
        name: `${name}.${column.name}`,
        text: `has NUL characters in ${place.join(' / ')} ${keys}${more}`,
      })
    }
  if (notes.length === 0 || isReplaced) return notes
  throw new Error(
    `PostgreSQL cannot store NUL characters (U+0000) in texts. Nothing was written.\n${notes.map(line).join('\n')}\nRemove them, or add --replace-nul, which writes U+FFFD instead.`,
  )
}

/** Runs the work on a new file of mode 600, which gets its name at the end; returns its size. */
async function inNewFile(to: string, work: (write: Write) => Promise<void>): Promise<number> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  const part = `${to}.part-${process.pid}`
  const file = await open(part, 'wx', 0o600)
  try {
    await work(text => file.writeFile(text))
    await file.sync()
    await rename(part, to)
    return (await file.stat()).size
  } finally {
    await file.close()
    await rm(part, { force: true })
  }
}

const line = ({ kind, name, text }: Note): string => `${kind} ${name}: ${text}`

function report(
  done: { to: string; bytes: number } | undefined,
  tables: readonly Table[],
  notes: readonly Note[],
): void {
  const counted = `${tables.length} tables, ${rowsOf(tables)} rows`
  if (!done) return say([`${counted}. Nothing was written.`, ...notes.map(line)].join('\n'))
  say(`${done.to}: ${counted}, ${done.bytes} bytes`)
  say('It contains password hashes and sealed secrets. Only you can read it.')
  const others = notes.filter(({ kind }) => kind !== 'trigger')
  for (const note of others) say(line(note))
  if (others.length < notes.length)
    say(`${notes.length - others.length} triggers are not translated. The file lists them.`)
}
