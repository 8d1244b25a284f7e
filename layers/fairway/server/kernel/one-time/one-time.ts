import { z } from 'zod'
import type { App } from '../app-context'
import { sha256 } from '../crypto/hash'
import { randomToken } from '../crypto/random'
import type { SealedColumn } from '../crypto/reseal'
import { seal, unseal } from '../crypto/seal'
import type { InStatement, InValue } from '../database/client'

/** A kind of secret that is mailed or carried, is valid for minutes and is used once. */
export interface OneTimePurpose<Payload = unknown> {
  /** Its name in the table; a secret of one purpose is invalid for all others. */
  name: string
  lifeInSeconds: number
  payload: z.ZodType<Payload>
  /** The maximum of open secrets per subject; older ones end. Unlimited when not given. */
  mostPerSubject?: number
  /** The same for one browser. */
  mostPerBrowser?: number
}

/** The stored data of an issued secret. */
export interface OneTime<Payload> {
  /** SHA-256 of the secret: the row's key, which is useless as a secret. */
  hash: string
  purpose: string
  subject: string | null
  /** SHA-256 of the cookie of the browser that it belongs to. */
  browserHash: string | null
  payload: Payload
  tries: number
  createdAt: Date
  expiresAt: Date
  usedAt: Date | null
  isExpired: boolean
}

type Sql = { sql: string; args: InValue[] }
type Named = Pick<OneTimePurpose, 'name'>

interface Issue<Payload> {
  payload: Payload
  subject?: string | null
  /** The secret in the cookie of the browser that it belongs to. */
  browser?: string
  /** The secret itself, where another place makes it; 32 random bytes otherwise. */
  secret?: string
  /** Its hash, where only that is known. */
  hash?: string
  /** Issues only where this SQL condition holds. */
  where?: Sql
}

interface Conditions {
  /** Only with the cookie of this browser. */
  browser?: string
  /** Only of this subject; null matches a secret without a subject. */
  subject?: string | null
  /** Only while fewer attempts than this were counted. */
  triesBelow?: number
  /** Also returns expired ones (`isExpired`), for flows that remember the return path of a late browser. */
  evenExpired?: boolean
}

const ALWAYS: Sql = { sql: '1', args: [] }
const SEAL_PURPOSE = 'one-time'
/** How long used and expired ones are kept, to distinguish a second use from an unknown secret. */
const KEPT_IN_MS = 24 * 60 * 60 * 1000

const COLUMNS = `hash, purpose, subject, browser_hash as browserHash, payload, tries,
  created_at as createdAt, expires_at as expiresAt, used_at as usedAt`

/** Returns the statements that issue a secret, for the caller's batch; the first of them writes one row or none (`where`). */
export function issueStatements<Payload>(
  app: App,
  purpose: OneTimePurpose<Payload>,
  { payload, subject = null, browser, secret = randomToken(32), hash = sha256(secret), where }: Issue<Payload>,
): { secret: string; expiresAt: Date; statements: InStatement[] } {
  const now = app.now().getTime()
  const expiresAt = now + purpose.lifeInSeconds * 1000
  const browserHash = browser === undefined ? null : sha256(browser)
  const sealed = seal(app.config.keys, SEAL_PURPOSE, JSON.stringify(payload), hash)
  const statements: InStatement[] = [
    {
      sql: `insert into fw_one_time (hash, purpose, subject, browser_hash, payload, created_at, expires_at)
        select ?, ?, ?, ?, ?, ?, ?${where ? ` where ${where.sql}` : ''}`,
      args: [hash, purpose.name, subject, browserHash, sealed, now, expiresAt, ...(where?.args ?? [])],
    },
  ]
  const endOlder = (column: 'subject' | 'browser_hash', value: InValue, most: number) =>
    statements.push({
      sql: `update fw_one_time set expires_at = ?1 where ${column} = ?2 and purpose = ?3 and used_at is null and expires_at > ?1
        and rowid not in (select rowid from fw_one_time where ${column} = ?2 and purpose = ?3 order by created_at desc, rowid desc limit ?4)`,
      args: [now, value, purpose.name, most],
    })
  if (purpose.mostPerSubject !== undefined) endOlder('subject', subject, purpose.mostPerSubject)
  if (purpose.mostPerBrowser !== undefined) endOlder('browser_hash', browserHash, purpose.mostPerBrowser)
  return { secret, expiresAt: new Date(expiresAt), statements }
}

/** Issues a secret; the table keeps its hash and the sealed payload. Returns null when the condition `where` does not hold. */
export async function issueOneTime<Payload>(
  app: App,
  purpose: OneTimePurpose<Payload>,
  issue: Issue<Payload>,
): Promise<{ secret: string; expiresAt: Date } | null> {
  const { statements, ...issued } = issueStatements(app, purpose, issue)
  const [inserted] = await app.db.client.batch(statements, 'write')
  return inserted?.rowsAffected === 1 ? issued : null
}

/** Reads a secret without using it, even a used or expired one: link previews also open links. Null for an unknown one. */
export async function peekOneTime<Payload>(
  app: App,
  purposes: OneTimePurpose<Payload> | readonly OneTimePurpose<Payload>[],
  secret: string,
): Promise<OneTime<Payload> | null> {
  const find = app.memo('peek-one-time', () =>
    app.db.prepareRead<object>(`select ${COLUMNS} from fw_one_time where hash = ?`),
  )
  const [stored] = await find([sha256(secret)])
  const row = stored && toRow(stored)
  const purpose = [purposes].flat().find(({ name }) => name === row?.purpose)
  return row && purpose ? open(app, purpose, row) : null
}

/** Returns the newest unexpired secret of this browser's cookie for any of these purposes, used or not. */
export async function peekOneTimeOfBrowser<Payload>(
  app: App,
  purposes: readonly OneTimePurpose<Payload>[],
  browser: string,
): Promise<OneTime<Payload> | null> {
  const { rows } = await app.db.client.execute({
    sql: `select ${COLUMNS} from fw_one_time where browser_hash = ? and expires_at > ?
      and purpose in (${purposes.map(() => '?').join(', ')}) order by created_at desc, rowid desc limit 1`,
    args: [sha256(browser), app.now().getTime(), ...purposes.map(({ name }) => name)],
  })
  const row = rows[0] && toRow(rows[0])
  const purpose = purposes.find(({ name }) => name === row?.purpose)
  return row && purpose ? open(app, purpose, row) : null
}

/** The secrets of a subject until they are purged, newest first, at most twenty. Broken rows are left out. */
export async function peekOneTimesOfSubject<Payload>(
  app: App,
  purpose: OneTimePurpose<Payload>,
  subject: string,
): Promise<OneTime<Payload>[]> {
  const { rows } = await app.db.client.execute({
    sql: `select ${COLUMNS} from fw_one_time where subject = ? and purpose = ? order by created_at desc, rowid desc limit 20`,
    args: [subject, purpose.name],
  })
  return rows.flatMap(row => {
    try {
      return [open(app, purpose, toRow(row))]
    } catch {
      return []
    }
  })
}

/** Uses a secret; of several requests at once, one gets it. Null for unknown, foreign and expired ones (`evenExpired`). */
export async function spendOneTime<Payload>(
  app: App,
  purpose: OneTimePurpose<Payload>,
  secret: string,
  conditions: Conditions = {},
): Promise<OneTime<Payload> | null> {
  const { rows } = await app.db.client.execute(spendStatement(app, purpose, secret, conditions))
  return rows[0] ? open(app, purpose, toRow(rows[0])) : null
}

/** The statement of `spendOneTime`; `also` (expressions over `fw_one_time`) is read at the same moment. */
export const spendStatement = (
  app: App,
  purpose: Named,
  secret: string | { hash: string },
  conditions: Conditions = {},
  also = '',
) => changeStatement(app, purpose, secret, ['used_at = ?', app.now().getTime()], conditions, also)

/** Assigns an open secret to a subject, once: false when it already has one or has ended. */
export async function assignOneTime(
  app: App,
  purpose: Named,
  secret: string,
  subject: string,
  conditions: Pick<Conditions, 'browser' | 'triesBelow'> = {},
): Promise<boolean> {
  const statement = changeStatement(app, purpose, secret, ['subject = ?', subject], { ...conditions, subject: null })
  return (await app.db.client.execute(statement)).rows.length === 1
}

/** Counts an attempt before the answer is checked, while fewer than `most` were; null when the secret has ended. */
export async function tryOneTime<Payload>(
  app: App,
  purpose: OneTimePurpose<Payload>,
  secret: string | { hash: string },
  most: number,
): Promise<OneTime<Payload> | null> {
  const statement = changeStatement(app, purpose, secret, ['tries = tries + ?', 1], { triesBelow: most })
  const { rows } = await app.db.client.execute(statement)
  return rows[0] ? open(app, purpose, toRow(rows[0])) : null
}

function changeStatement(
  app: App,
  purpose: Named,
  secret: string | { hash: string },
  [change, value]: [change: string, value: InValue],
  { browser, subject, triesBelow, evenExpired = false }: Conditions,
  also = '',
) {
  const args: InValue[] = [value, typeof secret === 'string' ? sha256(secret) : secret.hash, purpose.name]
  let sql = `update fw_one_time set ${change} where hash = ? and purpose = ? and used_at is null`
  const only = (condition: string, wanted: InValue) => {
    sql += ` and ${condition}`
    args.push(wanted)
  }
  if (!evenExpired) only('expires_at > ?', app.now().getTime())
  if (browser !== undefined) only('browser_hash = ?', sha256(browser))
  if (subject !== undefined) only('subject is ?', subject)
  if (triesBelow !== undefined) only('tries < ?', triesBelow)
  return { sql: `${sql} returning ${COLUMNS}${also && `, ${also}`}`, args }
}

/** Records the use of a signed message until it would expire. False when any instance has used it before. */
export async function claimOneTime(app: App, purpose: Named, id: string, expiresAt: Date): Promise<boolean> {
  const now = app.now().getTime()
  const { rowsAffected } = await app.db.client.execute({
    sql: `insert into fw_one_time (hash, purpose, created_at, expires_at, used_at) values (?, ?, ?, ?, ?)
      on conflict do nothing`,
    args: [sha256(`${purpose.name}\n${id}`), purpose.name, now, expiresAt.getTime(), now],
  })
  return rowsAffected === 1
}

/** The statement that ends all open secrets of a subject where the condition `when` holds, for the caller's batch. */
export const endOneTimeStatement = (
  clock: Pick<App, 'now'>,
  purposes: readonly Named[],
  subject: string,
  when = ALWAYS,
): Sql => ({
  sql: `update fw_one_time set used_at = ? where subject = ? and used_at is null
    and purpose in (${purposes.map(() => '?').join(', ')}) and ${when.sql}`,
  args: [clock.now().getTime(), subject, ...purposes.map(({ name }) => name), ...when.args],
})

/** Returns the statement that withdraws all open secrets of a subject, as if they had not been issued; for the caller's batch. */
export const withdrawOneTimeStatement = (purposes: readonly Named[], subject: string, when = ALWAYS): Sql => ({
  sql: `delete from fw_one_time where subject = ? and used_at is null
    and purpose in (${purposes.map(() => '?').join(', ')}) and ${when.sql}`,
  args: [subject, ...purposes.map(({ name }) => name), ...when.args],
})

/** Deletes secrets a day after they expire, and claimed ids as soon as they expire. */
export async function purgeOneTime(app: App): Promise<void> {
  const now = app.now().getTime()
  await app.db.client.execute({
    sql: 'delete from fw_one_time where expires_at <= ? and (payload is null or expires_at <= ?)',
    args: [now, now - KEPT_IN_MS],
  })
}

/** The sealed columns of the table, for `fw reseal`. */
export const oneTimeSealedColumns: SealedColumn[] = [
  { table: 'fw_one_time', column: 'payload', purpose: SEAL_PURPOSE, context: row => String(row.hash) },
]

const rowSchema = z.object({
  hash: z.string(),
  purpose: z.string(),
  subject: z.string().nullable(),
  browserHash: z.string().nullable(),
  payload: z.string().nullable(),
  tries: z.number(),
  createdAt: z.number(),
  expiresAt: z.number(),
  usedAt: z.number().nullable(),
})
type Row = z.output<typeof rowSchema>

const toRow = (row: unknown): Row => rowSchema.parse(row)

function open<Payload>(app: App, purpose: OneTimePurpose<Payload>, row: Row): OneTime<Payload> {
  const { payload, createdAt, expiresAt, usedAt, ...rest } = row
  const text = unseal(app.config.keys, SEAL_PURPOSE, payload ?? '', row.hash)
  return {
    ...rest,
    payload: purpose.payload.parse(JSON.parse(text)),
    createdAt: new Date(createdAt),
    expiresAt: new Date(expiresAt),
    usedAt: usedAt === null ? null : new Date(usedAt),
    isExpired: expiresAt <= app.now().getTime(),
  }
}
