// Exports all data of a person as one JSON file, which is streamed.
import { getTableColumns, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { readBytes } from '#fairway/server/domains/files'
import {
  type ClosedMembership,
  columnsFor,
  inEachOrganization,
  openedOrganizations,
  ruledTables,
  type SharedTable,
} from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { type ExportedPerson, isExported, type SqlPart } from '#fairway/server/kernel/dependent-rows'
import { withValues } from '#fairway/server/kernel/database/orm'
import { inPieces } from '#fairway/server/kernel/export-rows'
import { fill, messagesOf, offered } from '#fairway/server/kernel/messages'
import { findTablesOfPeople, type TableOfRows } from '#fairway/server/kernel/owned-rows'
import type { Language } from '#fairway/shared/languages'
import type { ClosedOrganization } from '#fairway/shared/schemas/account'
import type { Session } from '#fairway/shared/schemas/session'
import { limits } from '../../../kernel/limits/limits'
import { rateLimit } from '../../../kernel/limits/rate-limit'
import { eventsOfPerson } from '../../../kernel/security-events/list-security-events'

type Row = Record<string, unknown>

/** The contents of a person's export, by the name of each part. */
export const partsOf = (app: App, person: ExportedPerson): Record<string, SqlPart> => ({
  ...Object.assign({}, ...app.dependents.map(rows => rows.ofPerson?.(person) ?? {})),
  securityEvents: eventsOfPerson(person.userId),
})

interface AccountExport {
  /** How many lines of the text start a part, so that readers can show progress. */
  parts: number
  text: AsyncGenerator<string>
}

/**
 * The export of a session's person. It contains no secrets, and nothing of organizations that are closed to the session: it names
 * those, and says how to open them. Throws `rate-limited`.
 */
export async function exportAccount(
  app: App,
  session: Session,
  language: Language = offered.defaultLanguage,
): Promise<AccountExport> {
  await rateLimit(app, limits.exportsPerAccount, session.userId)
  const { userId, email } = session
  const { closed } = await openedOrganizations(app, session)
  const person = { userId, email, closedIds: closed.map(({ closedOrg }) => closedOrg.id) }
  const parts = Object.entries(partsOf(app, person))
  const personTables = await findTablesOfPeople(app.db.client)
  // App roles count within the request only, and the text is read outside it.
  const tables = personTables.map(table => {
    const ruled = ruledTables().get(table.name) as SharedTable | undefined
    return { ...table, columns: ruled ? shownTo(person, ruled) : sql`*` }
  })
  const missing = toClosedOrganizations(closed, language)
  return { parts: parts.length + tables.length, text: write(app, { person, parts, tables, missing }) }
}

/** The organizations that are missing in an export, each with a sentence about how to open it. */
export function toClosedOrganizations(closed: readonly ClosedMembership[], language: Language): ClosedOrganization[] {
  const texts = messagesOf(language).closedOrganizations
  return closed.map(({ closedOrg: { id, name, providerName: provider, domain = '', signIn }, secondFactor }) => {
    const byProvider = signIn === null ? texts.nowhere : domain ? texts.domain : texts.provider
    return { id, howToOpen: fill(secondFactor ? texts.secondFactor : byProvider, { name, provider, domain }), name }
  })
}

const FILES = 'files'

/** The end of a file's JSON object: its bytes as base64, or null when the person may no longer read it. */
async function* contentOf(app: App, id: unknown): AsyncGenerator<string> {
  const bytes = typeof id === 'string' ? await readBytes(app, id) : null
  if (!bytes) return yield ',"content":null}'
  yield ',"content":"'
  let rest = Buffer.alloc(0)
  for await (const chunk of bytes) {
    const all = Buffer.concat([rest, chunk])
    // Base64 encodes three bytes at a time.
    const whole = all.length - (all.length % 3)
    yield all.toString('base64', 0, whole)
    rest = all.subarray(whole)
  }
  yield `${rest.toString('base64')}"}`
}

interface Contents {
  person: ExportedPerson
  parts: readonly [string, SqlPart][]
  tables: readonly ExportedTable[]
  missing: readonly ClosedOrganization[]
}

async function* write(app: App, { person, parts, tables, missing }: Contents): AsyncGenerator<string> {
  yield `{\n  "application": ${JSON.stringify(app.config.name)},\n  "exportedAt": ${JSON.stringify(app.now())},`
  yield `\n  "closedOrganizations": ${JSON.stringify(missing)},\n  "account": {`
  for (const [index, [name, { sql, args }]] of parts.entries()) {
    yield `${index === 0 ? '' : ','}\n    ${JSON.stringify(name)}: [`
    const { rows } = await app.db.client.execute({ sql, args })
    for (const [at, row] of rows.entries()) {
      const { content, ...rest } = plain(row)
      const text = JSON.stringify(rest)
      // A file includes its content, streamed as it is read.
      yield `${at === 0 ? '' : ','}${name === FILES ? text.slice(0, -1) : text}`
      if (name === FILES) yield* contentOf(app, content)
    }
    yield ']'
  }
  yield '\n  },\n  "rows": {'
  for (const [index, table] of tables.entries()) {
    yield `${index === 0 ? '' : ','}\n    ${JSON.stringify(table.name)}: [`
    yield* rowsOf(app, table, person)
    yield ']'
  }
  yield '\n  }\n}\n'
}

const ROWID = 'fw_export_rowid'

/** A table, and its columns as this person may read them. */
type ExportedTable = TableOfRows & { columns: SQL }

/** The columns of a table as its policy shows them to this person, in each organization by their roles there. */
function shownTo(person: ExportedPerson, table: SharedTable): SQL {
  const shown: Readonly<Record<string, SQLiteColumn | SQL>> = columnsFor(table, inEachOrganization(table, person))
  const named = Object.entries(getTableColumns(table)).map(
    ([name, column]) => sql`${shown[name]} as ${sql.identifier(column.name)}`,
  )
  return sql.join(named, sql`, `)
}

/** The rows of one table that belong to an address, as JSON. Read in batches when the table has row ids. */
async function* rowsOf(app: App, table: ExportedTable, person: ExportedPerson): AsyncGenerator<string> {
  const { quoted, hasRowid, hasOrg, columns } = table
  const isIn = isExported('org_id', person)
  const which = hasOrg ? sql`and ${withValues(isIn.sql, isIn.args)}` : sql``
  const read = async (after: Row | undefined, limit: number): Promise<Row[]> => {
    const from = after ? Number(after[ROWID]) : Number.MIN_SAFE_INTEGER
    const place = hasRowid ? sql`rowid as ${sql.raw(ROWID)}, ` : sql``
    const piece = hasRowid ? sql`and rowid > ${from} order by rowid limit ${limit}` : sql``
    const pieceRows = await app.db.orm.all<Row>(
      sql`select ${place}${columns} from ${sql.raw(quoted)} where owner_email = ${person.email} ${which} ${piece}`,
    )
    return pieceRows.map(plain)
  }
  const rows: AsyncIterable<Row> | Row[] = hasRowid ? inPieces(read) : await read(undefined, 0)
  let isFirst = true
  for await (const { [ROWID]: _rowid, ...row } of rows) {
    yield `${isFirst ? '' : ','}${JSON.stringify(row)}`
    isFirst = false
  }
}

const toBase64 = (bytes: ArrayBuffer | Uint8Array): string => Buffer.from(new Uint8Array(bytes)).toString('base64')

/** A database row as JSON: columns by name, bytes as base64. */
const plain = (row: object): Row =>
  Object.fromEntries(
    Object.entries(row)
      .filter(([name]) => !/^\d+$/.test(name))
      .map(([name, value]) => [
        name,
        value instanceof ArrayBuffer || value instanceof Uint8Array ? toBase64(value) : value,
      ]),
  )
