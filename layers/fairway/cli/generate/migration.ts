// The migration of a generated table. drizzle-kit writes it in a copy of the project, so that the person sees it before anything
// changes.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { filesBelow } from '../../modules/registry/discover'
import { platformDir } from '../../modules/registry/roots'
import { type FileChange, readIn, writeChanges } from '../project/changes'
import { outputOf } from '../project/run-program'

interface MigrationInput {
  /** The change of the table's file; without one there is nothing to migrate. */
  table: FileChange | undefined
  /** The part of the migration's file name after its number. */
  name: string
  /** The added columns. */
  added?: readonly string[]
  /** Files of `drizzle/` that are planned already. */
  base?: readonly FileChange[]
}

const CONFIG = 'drizzle.config.ts'
/** drizzle-kit loads drizzle-orm too, and takes half the time with this. */
const QUICKLY = pathToFileURL(join(platformDir, 'cli/load-drizzle.mjs')).href
const DEFAULTS = `{ dialect: 'turso' as const }`

/**
 * Returns the migration for a changed table as changes in `drizzle/`; a project with handwritten migrations gets a remark
 * instead.
 */
export async function planMigration(
  root: string,
  { table, name, added = [], base = [] }: MigrationInput,
): Promise<{ changes: FileChange[]; remarks: string[] }> {
  if (!table) return { changes: [], remarks: [] }
  const folder = join(root, 'drizzle')
  const isByHand = !existsSync(join(folder, 'meta')) && existsSync(folder) && readdirSync(folder).length > 0
  if (isByHand)
    return {
      changes: [],
      remarks: [`Migrations are written by hand here: write one for ${table.path} into drizzle/.`],
    }
  const place = placeIn(root)
  try {
    for (const part of ['server/database', 'drizzle', 'shared'])
      if (existsSync(join(root, part))) cpSync(join(root, part), join(place, part), { recursive: true })
    mkdirSync(join(place, dirname(table.path)), { recursive: true })
    writeChanges(place, base)
    // drizzle-kit exits with an error when no file declares a table.
    writeFileSync(join(place, table.path), table.after ?? 'export {}\n')
    writeFileSync(join(place, CONFIG), scratchConfig(root))
    await outputOf(process.execPath, ['--import', QUICKLY, drizzleKit(root), 'generate', '--name', name], place)
    const planned = new Map(base.map(({ path, after }) => [path, after]))
    const changes = changedBelow(root, place, 'drizzle').filter(({ path, after }) => planned.get(path) !== after)
    return { changes: changes.map(change => ({ ...change, after: working(change.after ?? '', added) })), remarks: [] }
  } finally {
    rmSync(place, { recursive: true, force: true })
    if (readdirSync(dirname(place)).length === 0) rmdirSync(dirname(place))
  }
}

/**
 * drizzle-kit 0.31 recreates a table that gets a foreign key, and makes two errors there: it reads the added columns from the old
 * table, and treats `"updated_at" desc` as a name.
 */
const working = (sql: string, added: readonly string[]): string =>
  sql
    .replace(/^INSERT INTO `__new_.*$/gm, copying =>
      added.reduce((text, name) => text.replaceAll(`, "${name}"`, ''), copying),
    )
    .replaceAll(/`("\w+" desc)`/g, '$1')

/**
 * A folder inside the project, so that tables resolve their packages; the development server ignores it. It is not in `.nuxt`:
 * Nuxt treats an existing `.nuxt` as prepared and builds elsewhere.
 */
function placeIn(root: string): string {
  mkdirSync(join(root, '.data'), { recursive: true })
  return mkdtempSync(join(root, '.data/generate-'))
}

/** The author's own settings, applied to the copies of tables and migrations. */
const scratchConfig = (root: string): string => {
  const has = existsSync(join(root, CONFIG))
  return `${has ? `import config from '../../drizzle.config'\n` : `const config = ${DEFAULTS}\n`}
export default { ...config, schema: './server/database/*.ts', out: './drizzle' }
`
}

function drizzleKit(root: string): string {
  const localBin = join(root, 'node_modules/drizzle-kit/bin.cjs')
  return existsSync(localBin)
    ? localBin
    : join(dirname(createRequire(import.meta.url).resolve('drizzle-kit')), 'bin.cjs')
}

function changedBelow(root: string, place: string, folder: string): FileChange[] {
  return filesBelow(join(place, folder)).flatMap(name => {
    const path = `${folder}/${name}`
    const before = readIn(root, path)
    const after = readFileSync(join(place, path), 'utf8')
    return before === after ? [] : [{ path, before, after }]
  })
}
