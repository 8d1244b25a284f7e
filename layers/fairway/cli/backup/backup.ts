// Backs up the database file of this folder and its uploaded files.
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { link, mkdir, readFile, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { databaseConfig } from '../../server/kernel/config/environment'
import { readEnv } from '../../server/kernel/config/env'
import { filesConfig } from '../../server/kernel/config/files-config'
import { databaseTarget } from '../../server/kernel/database/target'
import { checkDatabase, copyDatabase, type DatabaseCheck, sum } from './database-file'
import { archiveOf, entriesOf, holdingFiles } from './files-archive'
import { isSealedFile, sealFile, unsealFile } from './sealed-file'
import { say, showProgress, UsageFault } from '../terminal'

const LEAST_CHARACTERS = 16

/** Returns the database file of this folder's settings, whether or not it exists; throws when the data is not in a file. */
export function databaseFile(): string {
  const { url, replicaPath } = databaseConfig(readEnv(process.env))
  const target = databaseTarget(url, replicaPath)
  if (target.kind === 'file') return resolve(target.path)
  if (target.kind === 'memory') throw new Error('The database is in memory, and no other process can read it.')
  throw new Error(
    'The database is a libSQL server, which is copied where it runs. Turso keeps its own history: `turso db create <new> --from-db <name> --timestamp <time>`. Of a server of your own, copy its data folder while it is stopped, or let it replicate to a bucket (`sqld --enable-bottomless-replication`).',
  )
}

async function passphraseIn(file: string): Promise<string> {
  const text = (await readFile(file, 'utf8')).trim()
  if (text.length >= LEAST_CHARACTERS) return text
  throw new Error(
    `The passphrase in ${file} has fewer than ${LEAST_CHARACTERS} characters. Make one with \`openssl rand -base64 32\`.`,
  )
}

/** The time as a part of file names. */
export const timeName = () => new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')

/** Writes a checked copy of the database and of the files beside it; throws when it would overwrite a file or the copy is damaged. */
export async function writeBackup(target: string | undefined, keyFile: string | undefined): Promise<void> {
  const from = databaseFile()
  if (!existsSync(from)) throw new Error(`There is no database at ${from}.`)
  const passphrase = keyFile && (await passphraseIn(keyFile))
  const to = resolve(target ?? join(dirname(from), 'backups', `${timeName()}.${passphrase ? 'sealed' : 'db'}`))
  if (existsSync(to)) throw new Error(`${to} is there already. Nothing was written.`)
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  const files = filesFolder()
  await holdingFiles(files, async () => {
    await writeDatabase(from, to, passphrase)
    if (files) await writeFiles(files, to + FILES, passphrase)
  })
  await noteBackup(basename(to))
}

/** Writes the audit row that the console reads the age of the newest backup from; the backup is complete without it. */
async function noteBackup(file: string): Promise<void> {
  try {
    // Only this part needs the server; checks and restores start without it.
    const { inLocalApp } = await import('../local-app')
    const { BACKUP_ACTION, recordWithin } = await import('../../server/domains/actions')
    await inLocalApp(async app => {
      await recordWithin(app, app.db.orm, { action: BACKUP_ACTION, caller: 'cli', orgId: null, input: { file } })
      return 0
    })
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown)
    process.stderr.write(`The console will not show this backup: ${reason}\n`)
  }
}

async function writeDatabase(from: string, to: string, passphrase: string | undefined): Promise<void> {
  await inPart(to, async part => {
    const { tables, rows, faults } = await copyDatabase(from, part, done => showProgress(`${Math.floor(done * 100)} %`))
    showProgress('')
    if (faults.length > 0) throw new Error(`The copy is not whole, and was deleted:\n${faults.join('\n')}`)
    if (passphrase)
      await inPart(
        to,
        async sealed => {
          await sealFile(part, sealed, passphrase)
          await link(sealed, to)
        },
        '.sealing',
      )
    else await link(part, to)
    say(
      `${to}: ${tables} tables, ${rows} rows, checked${passphrase ? ', encrypted' : ''}, ${(await stat(to)).size} bytes`,
    )
  })
}

/** The suffix of the archive of files beside a backup. */
const FILES = '.files'

/** Returns the files folder of this folder's settings; undefined when there is none yet, or files are in a bucket. */
function filesFolder(): string | undefined {
  const files = filesConfig(readEnv(process.env))
  if (files.kind === 'bucket') return void say('Files are in a bucket, which keeps copies of its own.')
  return existsSync(files.folder) ? resolve(files.folder) : undefined
}

async function writeFiles(folder: string, to: string, passphrase: string | undefined): Promise<void> {
  await inPart(to, async part => {
    if (passphrase) await sealFile(archiveOf(folder), part, passphrase)
    else await pipeline(archiveOf(folder), createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true }))
    await link(part, to)
  })
  say(`${to}: the files, ${(await stat(to)).size} bytes`)
}

/** Opens the archive of files beside a backup when it exists; `work` receives it unsealed. */
export async function withFiles<T>(
  file: string,
  { keyFile, beside }: { keyFile: string | undefined; beside: string },
  work: (archive: string) => Promise<T>,
): Promise<T | undefined> {
  const archive = file + FILES
  if (!existsSync(archive)) return undefined
  if (!(await isSealedFile(archive))) return work(archive)
  if (!keyFile) throw new UsageFault(`${archive} is encrypted. Name the file with its passphrase: --key <file>`)
  const passphrase = await passphraseIn(keyFile)
  return inPart(beside + FILES, async part => {
    await unsealFile(archive, part, passphrase)
    return work(part)
  })
}

/** Runs the work on a temporary file beside the wanted one, and deletes it afterwards, even after an error. */
async function inPart<T>(wanted: string, work: (part: string) => Promise<T>, ending = '.part'): Promise<T> {
  const part = `${wanted}${ending}-${process.pid}`
  try {
    return await work(part)
  } finally {
    for (const rest of ['', '-journal', '-wal', '-shm']) await rm(part + rest, { force: true })
  }
}

/** Opens a backup; `work` receives its content as a temporary database file, which is deleted afterwards. */
export async function opened<T>(
  { file, keyFile, beside }: { file: string; keyFile: string | undefined; beside: string },
  work: (database: string, check: DatabaseCheck) => Promise<T>,
): Promise<T> {
  if (!existsSync(file)) throw new Error(`There is no file ${file}.`)
  const isSealed = await isSealedFile(file)
  if (isSealed && !keyFile)
    throw new UsageFault(`${file} is encrypted. Name the file with its passphrase: --key <file>`)
  const passphrase = isSealed && keyFile ? await passphraseIn(keyFile) : undefined
  return inPart(beside, async part => {
    if (passphrase) await unsealFile(file, part, passphrase)
    else await copyPrivately(file, part)
    const check = checkDatabase(part)
    if (check.faults.length > 0)
      throw new Error(`${file} is not whole, or no backup of this platform:\n${check.faults.join('\n')}`)
    return work(part, check)
  })
}

/** Copies a file into a new one of mode 600, independent of the source's mode; SQLite uses the same mode for the journals. */
const copyPrivately = (from: string, to: string): Promise<void> =>
  pipeline(createReadStream(from), createWriteStream(to, { flags: 'wx', mode: 0o600, flush: true }))

/** Checks an existing backup and the files beside it; throws when it is damaged. */
export async function checkBackup(backup: string | undefined, keyFile: string | undefined): Promise<void> {
  if (!backup) throw new UsageFault('Name the backup: fw backup --check <file>')
  const file = resolve(backup)
  await opened({ file, keyFile, beside: file }, async (_database, { rows, migrations }) => {
    say(`${file}: holds, ${rows.size} tables, ${sum(rows.values())} rows, ${migrations.length} migrations`)
  })
  const count = await withFiles(file, { keyFile, beside: file }, countFiles)
  if (count !== undefined) say(`${file}${FILES}: holds, ${count} files`)
}

const countFiles = async (archive: string): Promise<number> => (await Array.fromAsync(entriesOf(archive))).length
