// Exports all data of a person as one JSON file, which is streamed.
import { readBytes } from '#fairway/server/domains/files'
import { type ClosedMembership, openedOrganizations } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { type ExportedPerson, isExported, type SqlPart } from '#fairway/server/kernel/dependent-rows'
import { inPieces } from '#fairway/server/kernel/export-rows'
import { fill, messagesOf } from '#fairway/server/kernel/messages'
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
export async function exportAccount(app: App, session: Session, language: Language = 'en'): Promise<AccountExport> {
  await rateLimit(app, limits.exportsPerAccount, session.userId)
  const { userId, email } = session
  const { closed } = await openedOrganizations(app, session)
  const person = { userId, email, closedIds: closed.map(({ closedOrg }) => closedOrg.id) }
  const parts = Object.entries(partsOf(app, person))
  const tables = await findTablesOfPeople(app.db.client)
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
  tables: readonly TableOfRows[]
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

/** The rows of one table that belong to an address, as JSON. Read in batches when the table has row ids. */
async function* rowsOf(app: App, table: TableOfRows, person: ExportedPerson): AsyncGenerator<string> {
  const { quoted, hasRowid, hasOrg } = table
  const isIn = hasOrg ? isExported('org_id', person) : { sql: '1', args: [] }
  const which = `from ${quoted} where owner_email = ? and ${isIn.sql}`
  const args = [person.email, ...isIn.args]
  const read = async (after: Row | undefined, limit: number): Promise<Row[]> => {
    const start = after ? Number(after[ROWID]) : Number.MIN_SAFE_INTEGER
    const statement = hasRowid
      ? {
          sql: `select rowid as ${ROWID}, * ${which} and rowid > ? order by rowid limit ?`,
          args: [...args, start, limit],
        }
      : { sql: `select * ${which}`, args }
    return (await app.db.client.execute(statement)).rows.map(plain)
  }
  const rows: AsyncIterable<Row> | Row[] = hasRowid ? inPieces(read) : await read(undefined, 0)
  let isFirst = true
  for await (const { [ROWID]: _rowid, ...row } of rows) {
    yield `${isFirst ? '' : ','}${JSON.stringify(row)}`
    isFirst = false
  }
}

/** A database row as JSON: columns by name, bytes as base64. */
const plain = (row: object): Row =>
  Object.fromEntries(
    Object.entries(row)
      .filter(([name]) => !/^\d+$/.test(name))
      .map(([name, value]) => [name, value instanceof ArrayBuffer ? Buffer.from(value).toString('base64') : value]),
  )
