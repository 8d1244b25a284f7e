// `fw adopt table`: an existing table gets an organization for each row, a policy and a collection.
import { getTableColumns, is } from 'drizzle-orm'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { loadTables } from '../../modules/tables'
import { suggestion } from '../../shared/nearest-name'
import { collectionText } from '../generate/pieces'
import { pluralOf, toCamel, toKebab } from '../generate/names'
import { type GeneratePlan, planFiles } from '../generate/plan'
import { readIn } from '../project/changes'
import { UsageFault } from '../terminal'
import { checkOrganization } from './organizations-here'
import { adoptionMigration, type Owner } from './adoption-migration'
import { withOrganization } from './table-source'

export interface AdoptArgs {
  name: string
  /** The name or the ID of the organization that gets all rows. */
  to?: string
  /** The column that names the organization of a row. */
  by?: string
}

/**
 * Plans what gives the rows of a table an organization: its source, its migration, its policy and its collection. Writes nothing.
 * Throws a UsageFault for an unknown table, column or organization.
 */
export async function planAdoption(root: string, args: AdoptArgs): Promise<GeneratePlan> {
  const { table, variable, path } = await findTable(root, args.name)
  const columns = getTableColumns(table)
  if (Object.hasOwn(columns, 'orgId')) return { changes: [], kept: [], remarks: [], next: [] }
  const { name } = getTableConfig(table)
  if (!Object.hasOwn(columns, 'id'))
    throw new UsageFault(`${name} needs a column id, which policies and collections name rows by.`)
  const before = readIn(root, path) ?? ''
  const singular = singularOf(variable)
  const change = { path, before, after: withOrganization(before, { path, variable, name, singular }) }
  const owner = checkedOwner(root, args, table)
  const collection = `server/collections/${toKebab(singular)}-list.ts`
  const file = path.replace(/\.ts$/, '')
  const policy = `${singular}Policy`
  const written = planFiles(root, { files: new Map([[collection, collectionText({ table, variable, file, policy })]]) })
  return {
    changes: [change, ...(await adoptionMigration(root, { change, table, owner })), ...written.changes],
    kept: written.kept,
    remarks: [
      `Rows from before have no creator: their createdByName is “Earlier data”.`,
      ...(args.to === undefined
        ? []
        : [`Each database that has rows needs the organization ${args.to} before this migration runs.`]),
    ],
    next: [
      `run \`npm run types\`: each insert into ${variable} needs ...inOrganization(session)`,
      `read rows with accessibleTo(${variable}, session), or from the collection`,
      `change who may do what: ${policy} in ${path}`,
    ],
  }
}

async function findTable(root: string, wanted: string) {
  const { files, faults } = await loadTables(root)
  if (faults[0]) throw new UsageFault(faults[0])
  const all = files.flatMap(({ path, exported }) =>
    Object.entries(exported).flatMap(([variable, table]) =>
      is(table, SQLiteTable) ? [{ variable, table, path }] : [],
    ),
  )
  const match = all.find(({ variable, table }) => variable === wanted || getTableConfig(table).name === wanted)
  if (match) return match
  const names = all.map(({ variable }) => variable)
  const there = names.length > 0 ? `There are: ${names.join(', ')}.` : 'Move the files of your tables there first.'
  throw new UsageFault(`There is no table ${wanted} in server/database.${suggestion(wanted, names)} ${there}`)
}

function checkedOwner(root: string, { to, by }: AdoptArgs, table: SQLiteTable): Owner {
  if ((to === undefined) === (by === undefined))
    throw new UsageFault(
      'Name the organization of the rows that are there: `--to "Acme"` for all of them, or `--by customer` for a column with its name, its ID or the address of a member.',
    )
  if (to !== undefined) {
    checkOrganization(root, to)
    return { to }
  }
  const columns = Object.entries(getTableColumns(table))
  const column = columns.find(([key, { name }]) => key === by || name === by)?.[1]
  const names = columns.map(([key]) => key)
  if (column) return { by: column.name }
  throw new UsageFault(
    `${getTableConfig(table).name} has no column ${by}.${suggestion(by ?? '', names)} There are: ${names.join(', ')}.`,
  )
}

/** Returns the English singular of a name, or the name itself. */
function singularOf(variable: string): string {
  const camel = toCamel(variable)
  const guesses = [camel.replace(/ies$/, 'y'), camel.replace(/es$/, ''), camel.replace(/s$/, '')]
  return guesses.find(guess => guess !== camel && toCamel(pluralOf(guess)) === camel) ?? camel
}
