// Tables of an application, in its sources, its migrations and its database, whose names are the platform's.
import { existsSync, globSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { createNameCheck, namesInSql } from '../../modules/tables/check-tables'
import { NO_SOURCES } from '../../modules/registry/discover'
import { toMigration } from '../../server/kernel/database/migrations'
import { readIn } from './changes'
import type { Finding } from './finding'

const SOURCES = '{server,db,database,src,shared,lib}/**/*.ts'
const TABLE = /\bsqliteTable\(\s*(['"`])([^'"`]+)\1/g
const OTHER_DATABASE = /\b(pgTable|mysqlTable)\(/

/** Finds tables whose names are the platform's, and tables of other databases. */
export async function reservedTables(folder: string): Promise<Finding[]> {
  const check = createNameCheck()
  const isTaken = (name: string) => check(name) !== undefined
  const sources = globSync(SOURCES, { cwd: folder, exclude: path => NO_SOURCES.test(path) })
    .map(path => path.replaceAll('\\', '/'))
    .toSorted()
  const texts = sources.map(path => ({ path, text: readIn(folder, path) ?? '' }))
  const declared = texts.flatMap(({ path, text }) =>
    [...text.matchAll(TABLE)].flatMap(([, , name = '']) => (isTaken(name) ? [{ file: path, name }] : [])),
  )
  const migrated = globSync('drizzle/*.sql', { cwd: folder })
    .toSorted()
    .flatMap(path =>
      namesInSql(toMigration(path, readIn(folder, path) ?? ''))
        .filter(isTaken)
        .map(name => ({ file: path.replaceAll('\\', '/'), name })),
    )
  const stored = (await tablesOfDatabases(folder)).filter(({ name }) => isTaken(name))
  const taken = [...declared, ...migrated, ...stored]
  return [
    ...[...Map.groupBy(taken, ({ name }) => name.toLowerCase()).values()].map(finding),
    ...texts.filter(({ text }) => OTHER_DATABASE.test(text)).map(({ path }) => otherDatabase(path)),
  ]
}

function finding(same: readonly { file: string; name: string }[]): Finding {
  const { file = '', name = '' } = same[0] ?? {}
  const others = [...new Set(same.map(each => each.file))].slice(1)
  const also = others.length > 0 ? ` (also in ${others.join(', ')})` : ''
  return {
    level: 'stops',
    file,
    text: `The table ${name} has a name of the platform's${also}. Both share a database, and the first start would fail.`,
    todo: `Rename yours while the application is as it is: sqliteTable('app_${name}', …), then a migration with ALTER TABLE \`${name}\` RENAME TO \`app_${name}\`; references follow.`,
  }
}

const otherDatabase = (file: string): Finding => ({
  level: 'note',
  file,
  text: 'The platform stores in SQLite or libSQL. These tables stay in their database: collections, policies and organizations do not reach them.',
  todo: 'Keep the client that you have for them, and open it in server/utils.',
})

const FILE = /(?:file:)?((?:\.{0,2}\/)?[\w./-]+\.(?:db|sqlite3?))\b/g

/** The tables of the SQLite files that .env and drizzle.config name. Empty where this Node.js cannot read them. */
async function tablesOfDatabases(folder: string): Promise<{ file: string; name: string }[]> {
  const env = parseEnv(readIn(folder, '.env') ?? '')
  const config = ['ts', 'mts', 'js', 'mjs'].map(end => readIn(folder, `drizzle.config.${end}`) ?? '').join('\n')
  const named = [...Object.values(env), config].flatMap(text => [...(text ?? '').matchAll(FILE)])
  const files = [...new Set(named.map(([, path = '']) => path))].filter(path => existsSync(join(folder, path)))
  const tables = await Promise.all(
    files.map(async file => (await tablesOf(join(folder, file))).map(name => ({ file, name }))),
  )
  return tables.flat()
}

async function tablesOf(file: string): Promise<string[]> {
  try {
    const { DatabaseSync } = await import('node:sqlite')
    const db = new DatabaseSync(file, { readOnly: true })
    try {
      const rows = db.prepare("select name from sqlite_schema where type in ('table', 'view', 'index')").all()
      const names = rows.map(({ name }) => String(name))
      // It is a database of the platform's already.
      return names.includes('fw_migrations') ? [] : names
    } finally {
      db.close()
    }
  } catch {
    return []
  }
}
