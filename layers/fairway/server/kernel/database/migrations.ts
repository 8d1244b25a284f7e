import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sha256 } from '../crypto/hash'

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

/** A migration from its file; line ends do not count, so a checkout on Windows has the same hash. */
export function toMigration(fileName: string, text: string): Migration {
  const sql = text.replaceAll('\r\n', '\n')
  return { name: fileName.replace(/\.sql$/, ''), sql, hash: sha256(sql) }
}

const BREAKPOINT = '--> statement-breakpoint'
/** What of a statement is no keyword: texts, quoted names and comments. */
export const QUOTED_OR_COMMENT = /'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|--[^\n]*|\/\*[\s\S]*?\*\//g
const TRIGGER = /^\s*create\s+(?:temp\s+|temporary\s+)?trigger\b/i
const AFTER_TRIGGER = /\bend\s*;\s*(?:create|drop|alter)\b/i

/** The statements of a migration; throws where one part holds two, because a driver would run only the first of them. */
export function splitStatements({ name, sql }: Migration): string[] {
  const parts = sql.split(BREAKPOINT).filter(part => bare(part).trim() !== '')
  const double = parts.find(holdsTwo)
  if (double)
    throw new Error(`migration ${name}: put "${BREAKPOINT}" between two statements, after ${firstLine(double)}`)
  return parts
}

// What is left tells structure only: no text, no names, no comments.
const bare = (part: string): string => part.replace(QUOTED_OR_COMMENT, match => (/^(--|\/\*)/.test(match) ? ' ' : 'x'))

function holdsTwo(part: string): boolean {
  const text = bare(part)
  return TRIGGER.test(text) ? AFTER_TRIGGER.test(text) : /;\s*[^\s;]/.test(text)
}

const firstLine = (part: string): string => JSON.stringify(part.trim().split('\n', 1)[0])

const NEXT = '--> statement-breakpoint\n'

const NOTES_TABLE = `CREATE TABLE \`notes\` (
	\`id\` text PRIMARY KEY NOT NULL,
	\`owner_email\` text NOT NULL,
	\`org_id\` text,
	\`title\` text NOT NULL,
	\`text\` text DEFAULT '' NOT NULL,
	\`pinned\` integer DEFAULT false NOT NULL,
	\`archived\` integer DEFAULT false NOT NULL,
	\`created_at\` integer NOT NULL,
	\`updated_at\` integer NOT NULL
);
${NEXT}CREATE INDEX \`notes_owner\` ON \`notes\` (\`owner_email\`,\`archived\`,\`pinned\`,\`updated_at\`);`

const NOTES_VISIBILITY = `ALTER TABLE \`notes\` ADD \`visibility\` text DEFAULT 'private' NOT NULL;${NEXT}CREATE INDEX \`notes_org\` ON \`notes\` (\`org_id\`,\`visibility\`,\`archived\`);`

/** The first migration of the platform: it tells which of the two texts a database began with. */
export const FIRST_MIGRATION = '0000_foundation'

/**
 * What three migrations of the platform were while the sample's table stood in them, made of what they are now. Databases
 * of that time note their hashes; what they did to the platform's tables is the same.
 */
const FORMER: Readonly<Record<string, (sql: string) => string>> = {
  [FIRST_MIGRATION]: sql => `${sql}\n${NEXT}${NOTES_TABLE}`,
  '0001_organizations': sql => `${sql}${NEXT}${NOTES_VISIBILITY}`,
  '0008_collections': () => 'CREATE INDEX `notes_org_id` ON `notes` (`org_id`,`id`);',
}

/** What a migration of the platform was before its text was changed, or undefined where it always was what it is. */
export function formerly({ name, sql }: Migration): Migration | undefined {
  const former = FORMER[name]
  return former && toMigration(`${name}.sql`, former(sql))
}

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

/** Reads the migrations of a folder, in the order of their names; none where there is no folder. */
export async function readMigrationFolder(folder: string): Promise<Migration[]> {
  const names = (await readdir(folder).catch(noneIfMissing)).filter(name => name.endsWith('.sql')).toSorted()
  return Promise.all(names.map(async name => toMigration(name, await readFile(join(folder, name), 'utf8'))))
}

function noneIfMissing(error: unknown): string[] {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
  throw error
}
