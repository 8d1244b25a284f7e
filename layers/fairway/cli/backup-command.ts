// A copy of the database file of this folder and of the files beside it, and the way back.
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { link, mkdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { defineCommand } from 'citty'
import { BACKUP_ACTION, recordWithin } from '../server/domains/actions'
import { platformDir } from '../modules/registry/roots'
import { databaseConfig } from '../server/kernel/config/environment'
import { readEnv } from '../server/kernel/config/env'
import { filesConfig } from '../server/kernel/config/files-config'
import { databaseTarget } from '../server/kernel/database/client'
import { readMigrationFolder } from '../server/kernel/database/migrations'
import {
  checkDatabase,
  copyDatabase,
  type DatabaseCheck,
  isInUse,
  prepareForServers,
  sum,
} from './backup/database-file'
import { archiveOf, entriesOf, extractFiles, holdingFiles } from './backup/files-archive'
import { isSealedFile, sealFile, unsealFile } from './backup/sealed-file'
import { inLocalApp } from './local-app'
import { endWith, say, showProgress, tellFailure } from './terminal'

const LEAST_CHARACTERS = 16

const key = {
  type: 'string',
  description: 'A file that holds the passphrase, 16 characters or more. With it a backup is encrypted.',
} as const

/** `fw backup [file]`: a checked copy of the running database; `--check` looks at one that is there. Ends with 1 where it is not whole. */
export const backupCommand = defineCommand({
  meta: { name: 'backup', description: 'Copy the database and the files while the server runs, and check the copy.' },
  args: {
    file: {
      type: 'positional',
      required: false,
      description: 'The new file. A name with the time, in `backups` of the data folder.',
    },
    key,
    check: { type: 'boolean', default: false, description: 'Check a backup that is there; write nothing.' },
  },
  run: ({ args }) => telling(() => (args.check ? checkBackup(args.file, args.key) : writeBackup(args.file, args.key))),
})

/** `fw restore <file>`: puts a backup in the place of the database, which is kept beside it. Without `--yes` it says what it would do. */
export const restoreCommand = defineCommand({
  meta: {
    name: 'restore',
    description: 'Put a backup in the place of the database; the one of now is kept beside it.',
  },
  args: {
    file: { type: 'positional', required: true, description: 'The backup.' },
    key,
    yes: { type: 'boolean', default: false, description: 'Do it. Without this nothing changes.' },
  },
  run: ({ args }) => telling(() => restore(args.file, args)),
})

const telling = (work: () => Promise<void>): Promise<void> =>
  endWith(
    () => work().then(() => 0),
    thrown => {
      showProgress('')
      return tellFailure(thrown)
    },
  )

/** The database file of this folder's settings, whether it is there or not; refuses where the data is elsewhere. */
function databaseFile(): string {
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

const timeName = () => new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')

async function writeBackup(given: string | undefined, keyFile: string | undefined): Promise<void> {
  const from = databaseFile()
  if (!existsSync(from)) throw new Error(`There is no database at ${from}.`)
  const passphrase = keyFile && (await passphraseIn(keyFile))
  const to = resolve(given ?? join(dirname(from), 'backups', `${timeName()}.${passphrase ? 'sealed' : 'db'}`))
  if (existsSync(to)) throw new Error(`${to} is there already. Nothing was written.`)
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  const files = filesFolder()
  await holdingFiles(files, async () => {
    await writeDatabase(from, to, passphrase)
    if (files) await writeFiles(files, to + FILES, passphrase)
  })
  await noteBackup(basename(to))
}

/** Leaves the audit row by which the console says how old the newest backup is; the backup is whole without it. */
const noteBackup = (file: string): Promise<unknown> =>
  inLocalApp(async app => {
    await recordWithin(app, app.db.orm, { action: BACKUP_ACTION, caller: 'cli', orgId: null, input: { file } })
    return 0
  }).catch((thrown: unknown) => {
    const reason = thrown instanceof Error ? thrown.message : String(thrown)
    process.stderr.write(`The console will not show this backup: ${reason}\n`)
  })

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

/** The ending of the archive of files that is beside a backup. */
const FILES = '.files'

/** The folder of files of this folder's settings; undefined where there is none yet, or files are in a bucket. */
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

/** Opens the archive of files beside a backup, where there is one; `work` gets it as it was written. */
async function withFiles<T>(
  file: string,
  { keyFile, beside }: { keyFile: string | undefined; beside: string },
  work: (archive: string) => Promise<T>,
): Promise<T | undefined> {
  const archive = file + FILES
  if (!existsSync(archive)) return undefined
  if (!(await isSealedFile(archive))) return work(archive)
  if (!keyFile) throw new Error(`${archive} is encrypted. Name the file with its passphrase: --key <file>`)
  const passphrase = await passphraseIn(keyFile)
  return inPart(beside + FILES, async part => {
    await unsealFile(archive, part, passphrase)
    return work(part)
  })
}

/** Works on a file beside the one that is wanted, and takes it away whatever comes of it. */
async function inPart<T>(wanted: string, work: (part: string) => Promise<T>, ending = '.part'): Promise<T> {
  const part = `${wanted}${ending}-${process.pid}`
  try {
    return await work(part)
  } finally {
    for (const rest of ['', '-journal', '-wal', '-shm']) await rm(part + rest, { force: true })
  }
}

/** What is in a backup; `work` gets it as a database file, which is taken away again. */
async function opened<T>(
  { file, keyFile, beside }: { file: string; keyFile: string | undefined; beside: string },
  work: (database: string, check: DatabaseCheck) => Promise<T>,
): Promise<T> {
  if (!existsSync(file)) throw new Error(`There is no file ${file}.`)
  const isSealed = await isSealedFile(file)
  if (isSealed && !keyFile) throw new Error(`${file} is encrypted. Name the file with its passphrase: --key <file>`)
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

/** Copies a file into a new one of mode 600, whatever its own is; SQLite gives that mode to the journals too. */
const copyPrivately = (from: string, to: string): Promise<void> =>
  pipeline(createReadStream(from), createWriteStream(to, { flags: 'wx', mode: 0o600, flush: true }))

async function checkBackup(given: string | undefined, keyFile: string | undefined): Promise<void> {
  if (!given) throw new Error('Name the backup: fw backup --check <file>')
  const file = resolve(given)
  await opened({ file, keyFile, beside: file }, async (_database, { rows, migrations }) => {
    say(`${file}: holds, ${rows.size} tables, ${sum(rows.values())} rows, ${migrations.length} migrations`)
  })
  const count = await withFiles(file, { keyFile, beside: file }, countFiles)
  if (count !== undefined) say(`${file}${FILES}: holds, ${count} files`)
}

const countFiles = async (archive: string): Promise<number> => (await Array.fromAsync(entriesOf(archive))).length

async function restore(given: string, { key: keyFile, yes }: { key?: string; yes: boolean }): Promise<void> {
  const [file, place] = [resolve(given), databaseFile()]
  await mkdir(dirname(place), { recursive: true, mode: 0o700 })
  await opened({ file, keyFile, beside: place }, async (database, check) => {
    const older = await schemaDifference(check, file)
    const isThere = existsSync(place)
    if (isThere && older > 0 && isInUse(place) !== false) {
      throw new Error(
        `${file} is of before ${older} migrations, and a server may be running on ${place}. Stop it first; it migrates when it starts again. (If the file there is damaged, move it away.)`,
      )
    }
    const kept = `${place}.before-${timeName()}`
    say(
      `${file}: ${check.rows.size} tables, ${sum(check.rows.values())} rows${older > 0 ? `, ${older} migrations to come at the next start` : ''}`,
    )
    if (isThere) say(`The database of now ${yes ? 'is kept' : 'would be kept'} as ${kept}`)
    if (!yes) return say(`Nothing has changed. With --yes it takes the place of ${place}.`)
    const files = filesConfig(readEnv(process.env))
    if (files.kind === 'disk') {
      // Before the database: no row may name a file that is not there.
      const count = await withFiles(file, { keyFile, beside: place }, archive => extractFiles(archive, files.folder))
      if (count !== undefined) say(`${files.folder}: has the ${count} files of the backup`)
    }
    prepareForServers(database)
    await swap(database, place, kept)
    say(
      `${place} is the backup now. Sessions, connections and roles are those of then: what was ended since is open again.`,
    )
  })
}

/** How many migrations the backup still has to get; refuses one that has some which this version does not know. */
async function schemaDifference({ migrations }: DatabaseCheck, file: string): Promise<number> {
  const folders = [join(platformDir, 'drizzle'), resolve('drizzle')]
  const shipped = (await Promise.all(folders.map(readMigrationFolder))).flat().map(({ name }) => name)
  const unknown = migrations.filter(name => !shipped.includes(name))
  if (unknown.length > 0)
    throw new Error(
      `${file} is of a newer version; this one does not know ${unknown.join(', ')}. Restore it with that version.`,
    )
  return shipped.filter(name => !migrations.includes(name)).length
}

/**
 * Puts the new file to the place and the old one with its journal under another name. Servers that run on it see for a moment that
 * their file is gone, acknowledge nothing of that moment, and go on with the new one.
 */
async function swap(database: string, place: string, kept: string): Promise<void> {
  // The journal belongs to the old file: nobody may open the new one beside it.
  for (const part of ['', '-wal', '-shm']) if (existsSync(place + part)) await rename(place + part, kept + part)
  try {
    await link(database, place)
  } catch (cause) {
    throw new Error(
      `${place} could not be put there: ${cause instanceof Error ? cause.message : String(cause)}. The database of before is ${basename(kept)}, beside it.`,
      { cause },
    )
  }
}
