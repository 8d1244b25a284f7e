import type { App } from '#fairway/server/kernel/app-context'
import { quoteName } from '#fairway/server/kernel/database/sql-text'
import { foldedSql } from '#fairway/server/kernel/folding/fold-sql'
import { foldText } from '#fairway/shared/fold-text'

/** A table of the database, of either journal. */
interface Table {
  name: string
  isPlatform: boolean
  columns: { name: string; type: string; isKey: boolean; isMasked: boolean }[]
}

/** A table with its number of rows. */
export interface TableFacts extends Table {
  rows: number
}

export const ROWS_ON_A_PAGE = 50
const MOST_CHARACTERS = 160
/** Columns with secrets or with values that identify one: in every table, and in the platform's own tables. */
const SECRET = /(^|_)(token|secret|password|passwd|hash|ciphertext|verifier|private|api_?key|jwk|otp|pin)(_|$)|sealed/i
const PLATFORM_SECRET = /^(content|payload|value|code_challenge|public_key|bytes)$/

/** Returns every table with its columns and its number of rows, the application's first. */
export async function listTables(app: App): Promise<TableFacts[]> {
  const tables = await findTables(app)
  const counts = await app.db.readRows(
    tables.map(({ name }) => ({ sql: `select count(*) from ${quoteName(name)}`, args: [] })),
  )
  return tables.map((table, index) => ({ ...table, rows: Number(counts[index]?.[0]?.[0] ?? 0) }))
}

const FIND_COLUMNS = `select m.name, c.name, c.type, c.pk from sqlite_master m join pragma_table_info(m.name) c
  where m.type = 'table' and m.name not like 'sqlite\\_%' escape '\\' order by m.name, c.cid`

async function findTables(app: App): Promise<Table[]> {
  const [columnRows = []] = await app.db.readRows([{ sql: FIND_COLUMNS, args: [] }])
  const byName = Map.groupBy(columnRows, ([name]) => String(name))
  const tables = [...byName].map(([name, columns]) => ({
    name,
    isPlatform: isPlatform(app, name),
    columns: columns.map(([, column, type, key]) => ({
      name: String(column),
      type: String(type).toLowerCase(),
      isKey: Number(key) > 0,
      isMasked: isMasked(app, name, String(column)),
    })),
  }))
  return tables.toSorted((a, b) => Number(a.isPlatform) - Number(b.isPlatform))
}

const isPlatform = ({ platformTables }: App, name: string): boolean =>
  platformTables.has(name) || name.startsWith('fw_')

/** Whether values of a column are never shown. */
export const isMasked = (app: App, table: string, column: string): boolean =>
  SECRET.test(column) || (isPlatform(app, table) && PLATFORM_SECRET.test(column))

/**
 * Returns one page of a table's rows as texts, latest first; `search` applies to every visible column. Undefined for an unknown
 * table.
 */
export async function readTable(
  app: App,
  name: string,
  { page, search }: { page: number; search: string },
): Promise<{ table: Table; rows: string[][]; total: number } | undefined> {
  const table = (await findTables(app)).find(each => each.name === name)
  if (!table) return undefined
  const shown = table.columns.filter(({ isMasked: masked }) => !masked).map(column => quoteName(column.name))
  const isSearched = search !== '' && shown.length > 0
  const where = isSearched ? `where ${shown.map(column => `instr(${foldedSql(column)}, ?) > 0`).join(' or ')}` : ''
  const args = isSearched ? shown.map(() => foldText(search)) : []
  const columns = table.columns.map(column =>
    column.isMasked ? `${quoteName(column.name)} is null` : quoteName(column.name),
  )
  const from = `from ${quoteName(name)} ${where}`
  const order = `order by 1 desc limit ${ROWS_ON_A_PAGE} offset ${(page - 1) * ROWS_ON_A_PAGE}`
  const [counted = [], rows = []] = await app.db.readRows([
    { sql: `select count(*) ${from}`, args },
    { sql: `select ${columns.join(', ')} ${from} ${order}`, args },
  ])
  const texts = rows.map(row => row.map((value, at) => toText(value, table.columns[at])))
  return { table, rows: texts, total: Number(counted[0]?.[0] ?? 0) }
}

function toText(value: unknown, column: Table['columns'][number] | undefined): string {
  // For a masked value, the query reads only whether it is null.
  if (column?.isMasked) return Number(value) === 1 ? 'null' : '••••'
  if (value === null) return 'null'
  if (value instanceof Uint8Array || value instanceof ArrayBuffer) return `${value.byteLength} bytes`
  if (typeof value === 'number' && /(_at|_since|_until)$/.test(column?.name ?? '')) return toInstant(value)
  const text = String(value)
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text
}

const toInstant = (value: number): string => {
  const instant = new Date(value)
  return Number.isNaN(instant.getTime()) ? String(value) : instant.toISOString()
}

/** An application's row, with the values that decide who may use it. */
export interface FoundRow {
  table: string
  id: string
  /** Undefined for a row that belongs to an organization. */
  ownerEmail?: string
  orgId: string | null
  visibility: string
}

/** Finds the row of this id in the tables with ownableColumns() or organizationColumns(); undefined where no table has it. */
export async function findRow(app: App, id: string): Promise<FoundRow | undefined> {
  for (const { name, columns } of await findTables(app)) {
    const has = (column: string) => columns.some(each => each.name === column)
    const isOwnable = has('owner_email') && has('visibility')
    if (!has('id') || !has('org_id') || !(isOwnable || has('created_by_name'))) continue
    const more = isOwnable ? 'owner_email, visibility' : 'null, null'
    const sql = `select org_id, ${more} from ${quoteName(name)} where id = ? limit 1`
    const [[row] = []] = await app.db.readRows([{ sql, args: [id] }])
    if (!row) continue
    const [org, owner, visibility] = row
    return {
      table: name,
      id,
      ownerEmail: owner === null ? undefined : String(owner),
      orgId: org === null ? null : String(org),
      visibility: String(visibility),
    }
  }
  return undefined
}
