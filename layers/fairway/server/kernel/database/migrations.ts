import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sha256, sha256Hex } from '../crypto/hash'

export interface Migration {
  name: string
  sql: string
  hash: string
}

/** The migrations of both journals. */
export interface ShippedMigrations {
  platform: Migration[]
  application: Migration[]
}

/** Returns a migration from its file. Line endings do not count, so a checkout on Windows has the same hash. */
export function toMigration(fileName: string, text: string): Migration {
  const sql = text.replaceAll('\r\n', '\n')
  return { name: fileName.replace(/\.sql$/, ''), sql, hash: sha256(sql) }
}

/** The hash by which drizzle's own migrator knows a migration. */
export const hexHash = ({ sql }: Migration): string => sha256Hex(sql)

const BREAKPOINT = '--> statement-breakpoint'
/** The parts of a statement that are not keywords: texts, quoted names and comments. */
export const QUOTED_OR_COMMENT = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\//g
const TRIGGER = /^\s*create\s+(?:temp\s+|temporary\s+)?trigger\b/i
const AFTER_TRIGGER = /\bend\s*;\s*(?:create|drop|alter)\b/i

/**
 * Returns the statements of a migration; throws where one part contains two, because a driver would run only the first of them.
 */
export function splitStatements({ name, sql }: Migration): string[] {
  const parts = sql.split(BREAKPOINT).filter(part => bare(part).trim() !== '')
  const double = parts.find(hasSeveralStatements)
  if (double)
    throw new Error(`migration ${name}: put "${BREAKPOINT}" between two statements, after ${firstLine(double)}`)
  return parts
}

// The rest shows structure only: no texts, names or comments.
const bare = (part: string): string => part.replace(QUOTED_OR_COMMENT, match => (/^(--|\/\*)/.test(match) ? ' ' : 'x'))

function hasSeveralStatements(part: string): boolean {
  const text = bare(part)
  return TRIGGER.test(text) ? AFTER_TRIGGER.test(text) : /;\s*[^\s;]/.test(text)
}

const firstLine = (part: string): string => JSON.stringify(part.trim().split('\n', 1)[0])

interface Assets {
  getKeys(): Promise<string[]>
  getItemRaw(key: string): Promise<unknown>
}

/** Reads the migrations that were shipped with the build, in the order of their names. */
export async function loadMigrations(assets: Assets): Promise<Migration[]> {
  const keys = (await assets.getKeys()).filter(key => key.endsWith('.sql')).toSorted()
  return Promise.all(keys.map(async key => toMigration(key, String(await assets.getItemRaw(key)))))
}

/** Reads both journals' migrations from what the build ships. */
export const loadShippedMigrations = async (storage: (base: string) => Assets): Promise<ShippedMigrations> => ({
  platform: await loadMigrations(storage('assets:migrations')),
  application: await loadMigrations(storage('assets:application-migrations')),
})

/** Reads the migrations of a folder, in the order of their names; none for a missing folder. */
export async function readMigrationFolder(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder).catch(noneIfMissing)).filter(name => name.endsWith('.sql')).toSorted()
  return Promise.all(names.map(async name => toMigration(name, await readFile(join(folder, name), 'utf8'))))
}

function noneIfMissing(error: unknown): string[] {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
  throw error
}
