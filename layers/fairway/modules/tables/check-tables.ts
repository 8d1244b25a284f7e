import { join } from 'node:path'
import { readMigrationFolder } from '../../server/kernel/database/migrations'
import { houseDir } from '../registry/roots'
import { declaredNames } from './declared-names'
import type { TableFile, TableFiles } from './load-tables'
import { namesInSql } from './names-in-sql'
import { createNameCheck } from './reserved-names'

type NameCheck = ReturnType<typeof createNameCheck>

interface Declared {
  path: string
  name: string
  /** The table or the view itself. */
  value: unknown
}

/** Throws with every table of an application that cannot be made beside the platform's: the file, the reason and the cure. */
export async function checkTables(rootDir: string, { files, faults }: TableFiles): Promise<void> {
  const check = createNameCheck()
  const declared = files.flatMap(declaredIn)
  const all = [
    ...faults,
    ...reservedNames(declared, check),
    ...namesTwice(declared),
    ...(await sqlFaults(rootDir, check)),
  ]
  if (all.length > 0) throw new Error(`These tables cannot be made:\n${all.map(fault => `  - ${fault}`).join('\n')}`)
}

const declaredIn = ({ path, exported }: TableFile): Declared[] =>
  Object.values(exported).flatMap(value => declaredNames(value).map(name => ({ path, name, value })))

const reservedNames = (declared: readonly Declared[], check: NameCheck): string[] =>
  declared.flatMap(({ path, name }) => {
    const fault = check(name)
    return fault
      ? [`${path}: ${fault}; call yours something else, or do not export it where it only stands for the platform's`]
      : []
  })

/** A table that one file exports again from another is the same one. */
function namesTwice(declared: readonly Declared[]): string[] {
  return [...Map.groupBy(declared, ({ name }) => name.toLowerCase())]
    .filter(([, same]) => new Set(same.map(({ value }) => value)).size > 1)
    .map(([name, same]) => {
      const paths = [...new Set(same.map(({ path }) => path))].join(' and ')
      return `${paths}: the name \`${name}\` is used twice; give one of them another name`
    })
}

async function sqlFaults(rootDir: string, check: NameCheck): Promise<string[]> {
  const platform = new Set((await readMigrationFolder(join(houseDir, 'drizzle'))).map(({ name }) => name))
  const migrations = await readMigrationFolder(join(rootDir, 'drizzle'))
  return migrations.flatMap(migration => {
    const faults = namesInSql(migration).flatMap(name => check(name) ?? [])
    const file = `drizzle/${migration.name}.sql`
    if (faults.length > 0 && platform.has(migration.name))
      return [`${file}: the platform brings this migration itself; delete the file`]
    return faults.map(fault => `${file}: ${fault}; ${SQL_CURE}`)
  })
}

const SQL_CURE =
  'call the table something else in server/database, take this file back with `npx drizzle-kit drop` and run `npm run db:generate`; a file that has run already only has to leave drizzle/'
