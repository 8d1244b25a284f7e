// Restores a backup: over the database of this folder's settings, or into a folder that the command names.
import { existsSync } from 'node:fs'
import { link, mkdir, rename, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { isCancel, text } from '@clack/prompts'
import { platformDir } from '../../modules/registry/roots'
import { MARKER } from '../../server/domains/files/storage'
import { readEnv } from '../../server/kernel/config/env'
import { filesConfig } from '../../server/kernel/config/files-config'
import { readMigrationFolder } from '../../server/kernel/database/migrations'
import { databaseFile, opened, timeName, withFiles } from './backup'
import { type DatabaseCheck, isInUse, markerIn, prepareForServers, sum } from './database-file'
import { extractFiles } from './files-archive'
import { CANCELLED, isAtTerminal, say, UsageFault } from '../terminal'

interface RestoreOptions {
  key?: string
  to?: string
  replace?: string
  yes: boolean
}

/** Replaces a database with a backup, or shows what would change. Throws a UsageFault when the person did not agree. */
export async function restore(backup: string, options: RestoreOptions): Promise<void> {
  const { key: keyFile, to } = options
  const [file, place] = [resolve(backup), to === undefined ? databaseFile() : resolve(to, 'fairway.db')]
  const isThere = existsSync(place)
  const isAgreed = isThere && to === undefined ? await mayReplace(place, options) : options.yes
  await mkdir(dirname(place), { recursive: true, mode: 0o700 })
  await opened({ file, keyFile, beside: place }, async (database, check) => {
    const older = await schemaDifference(check, file)
    if (isThere && older > 0 && isInUse(place) !== false) {
      throw new Error(
        `${file} is of before ${older} migrations, and a server may be running on ${place}. Stop it first; it migrates when it starts again. (If the file there is damaged, move it away.)`,
      )
    }
    const previous = `${place}.before-${timeName()}`
    say(
      `${file}: ${check.rows.size} tables, ${sum(check.rows.values())} rows${older > 0 ? `, ${older} migrations to come at the next start` : ''}`,
    )
    if (isThere) say(`The database of now ${isAgreed ? 'is kept' : 'would be kept'} as ${previous}`)
    if (!isAgreed) {
      const option = isThere && to === undefined ? `--replace ${place}` : '--yes'
      return say(`Nothing has changed. With ${option} it takes the place of ${place}.`)
    }
    const folder = filesFolder(to)
    // Files come before the database, so that no row names a missing file.
    if (folder !== undefined) {
      const count = await withFiles(file, { keyFile, beside: place }, archive => extractFiles(archive, folder))
      if (count !== undefined) say(`${folder}: has the ${count} files of the backup`)
      await markFolder(folder, database)
    }
    prepareForServers(database)
    await swap(database, place, previous)
    say(
      `${place} is the backup now. Sessions, connections and roles are those of then: what was ended since is open again.`,
    )
  })
}

/** Whether the person states the address of the database that the settings name. Throws for another address, and for none. */
async function mayReplace(place: string, { replace, yes }: RestoreOptions): Promise<boolean> {
  const isPlace = (address: string) => resolve(address.trim().replace(/^file:/, '')) === place
  if (replace === undefined && !yes) return false
  if (replace === undefined && !isAtTerminal())
    throw new UsageFault(
      `This replaces the database ${place}. State its address: --replace ${place}. To restore somewhere else, name a folder: --to <folder>. Nothing was changed.`,
    )
  const address = replace ?? (await text({ message: `This replaces the database ${place}. Type its address:` }))
  if (isCancel(address)) throw new UsageFault(CANCELLED)
  if (isPlace(address)) return true
  throw new UsageFault(`The settings name the database ${place}, not ${address}. Nothing was changed.`)
}

/** The folder for the files of the backup; undefined when the settings name a bucket. */
function filesFolder(to: string | undefined): string | undefined {
  if (to !== undefined) return resolve(to, 'files')
  const files = filesConfig(readEnv(process.env))
  return files.kind === 'disk' ? files.folder : undefined
}

/** Writes the marker of the backup's installation beside the files, unless there is one. */
async function markFolder(folder: string, database: string): Promise<void> {
  const marker = markerIn(database)
  if (marker === undefined || existsSync(join(folder, MARKER))) return
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(join(folder, MARKER), marker, { mode: 0o600 })
}

/** Returns how many migrations the backup still requires; throws when it contains migrations that this version does not know. */
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
 * Moves the old file and its journal to another name and puts the new file in place. For a moment, running servers see that their
 * file is missing. They acknowledge no writes in that moment, and continue with the new file.
 */
async function swap(database: string, place: string, previous: string): Promise<void> {
  // The journal belongs to the old file: no process may open it with the new file.
  for (const part of ['', '-wal', '-shm']) if (existsSync(place + part)) await rename(place + part, previous + part)
  try {
    await link(database, place)
  } catch (cause) {
    throw new Error(
      `${place} could not be put there: ${cause instanceof Error ? cause.message : String(cause)}. The database of before is ${basename(previous)}, beside it.`,
      { cause },
    )
  }
}
