// Imports many rows at once, as texts from a table. It writes all of them or none.
import { and, or, type SQL, sql } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { z } from 'zod'
import { FILE_REFUSED } from '#fairway/server/domains/files'
import { accessibleTo, createCheck, type SharedTable, team } from '#fairway/server/domains/organizations'
import { requireRun } from '#fairway/server/kernel/current-run'
import type { Orm } from '#fairway/server/kernel/database/client'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { fieldError, OWN_MESSAGES, toFieldError } from '#fairway/server/kernel/http/field-errors'
import type { FieldErrorCode } from '#fairway/shared/field-errors'
import { MOST_IMPORTED_ROWS } from '#fairway/shared/imports'
import type { FieldError } from '#fairway/shared/schemas/problem'
import type { Session } from '#fairway/shared/schemas/session'
import { coerceBySchema } from './coerce-by-schema'
import { columnKindsIn, moneyFieldsIn, teamFieldsIn } from './coerce-input'
import type { ActionContext } from './action'
import { parseNamed } from './parse-named'
import { messagesOf } from './reference-faults'

const ROWS_AT_ONCE = 100
const MOST_ERRORS = 100

/** The input of an import action: rows keyed by field name, with texts or JSON values. */
export const importInput = z.object({
  rows: z
    .array(z.record(z.string().max(100), z.unknown()))
    .max(MOST_IMPORTED_ROWS)
    .describe('The rows by the names of their fields. Values may be texts.'),
  dryRun: z
    .boolean()
    .default(false)
    .describe('Checks everything and writes nothing. Without rows, returns the kinds of the fields.'),
})

/** The output of an import. */
export const importOutput = z.object({
  rows: z.int().describe('How many rows were written, or would be.'),
  /** The ids of the new rows; empty after a dry run. */
  ids: z.array(z.string()),
  fields: z
    .record(z.string(), z.enum(['number', 'boolean', 'date', 'datetime']))
    .optional()
    .describe('The fields that take no text, after a dry run without rows.'),
})

interface ImportOptions<Input extends z.ZodObject> extends z.output<typeof importInput> {
  /** The schema of a row: the input of the action that creates one. */
  input: Input
  /** Fields with the id of another row. An import may use the title of that row instead. */
  refs?: Readonly<Record<string, { table: SharedTable; title: SQLiteColumn }>>
  /** The columns of a new row, including `id`. */
  values(input: z.output<Input>): Record<string, unknown> & { id: string }
}

type Row = Record<string, unknown>

/**
 * Creates rows of a table in one transaction. Texts are converted to the type of the field (12.50 becomes 1250 for money), blank
 * ones are omitted, a reference may use the title of a row, and a team its name. Throws `invalid-input` with the errors of each row
 * (`rows.3.amount`), at most 100, and their total number as `faults`. Throws `forbidden` when the policy of the table does not
 * let the caller create such a row. A dry run makes the same checks and writes nothing; without rows, it returns the fields that
 * take numbers, booleans, dates or times.
 */
export async function importRows<Input extends z.ZodObject>(
  table: SharedTable,
  { db, session, signal }: Pick<ActionContext<Session>, 'db' | 'session' | 'signal'>,
  { rows, dryRun, input, refs = {}, values }: ImportOptions<Input>,
): Promise<z.output<typeof importOutput>> {
  const check = await createCheck(db, table, session)
  if (rows.length === 0 && !dryRun) throw invalid([fieldError('rows', 'too-few', { least: 1 })])
  if (rows.length === 0) return { rows: 0, ids: [], fields: columnKindsIn(jsonSchemaOf(input)) }
  const faults: FieldError[] = []
  const read = await readRows(db, session, { rows, input, refs }, faults)
  for (const row of read) check(row as Row)
  const parsedRows = read.map(row => values(row))
  await write(db, table, { made: parsedRows, faults, isDryRun: dryRun, signal })
  return { rows: parsedRows.length, ids: dryRun ? [] : parsedRows.map(({ id }) => id) }
}

const jsonSchemaOf = (input: z.ZodObject) => z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })

type Reading<Input extends z.ZodObject> = Pick<ImportOptions<Input>, 'rows' | 'input'> &
  Required<Pick<ImportOptions<Input>, 'refs'>>

/** Validates the rows with their schema and adds errors to `faults`. */
async function readRows<Input extends z.ZodObject>(
  db: Orm,
  session: Session,
  { rows, input, refs }: Reading<Input>,
  faults: FieldError[],
): Promise<z.output<Input>[]> {
  const schema = jsonSchemaOf(input)
  const money = moneyFieldsIn(schema)
  const typed = rows.map(row => typedRow(schema, money, row))
  const isBad = (index: number, name: string, code: FieldErrorCode) =>
    faults.push(fieldError(`rows.${index}.${name}`, code))
  const ofTeams = teamFieldsIn(schema)
  const ids = new Map(ofTeams.length > 0 ? (await team.teams()).map(each => [each.name.toLowerCase(), each.id]) : [])
  for (const name of ofTeams) {
    for (const row of typed)
      if (typeof row[name] === 'string') row[name] = ids.get(row[name].toLowerCase()) ?? row[name]
  }
  for (const [name, ref] of Object.entries(refs)) {
    const find = await referenced(db, session, ref, textsOf(typed, name))
    typed.forEach((row, index) => {
      if (typeof row[name] !== 'string') return
      const id = find(row[name])
      if (typeof id === 'string') row[name] = id
      else isBad(index, name, id.fault)
    })
  }
  const told = new Set(faults.map(({ path }) => path))
  const parsed = await parseNamed(requireRun().app, session, () => typed.map(row => input.safeParse(row, OWN_MESSAGES)))
  return parsed.flatMap((row, index) => {
    if (row.success) return [row.data]
    const rowFaults = row.error.issues.map(issue => toFieldError({ ...issue, path: ['rows', index, ...issue.path] }))
    faults.push(...rowFaults.filter(({ path }) => !told.has(path)))
    return []
  })
}

const textsOf = (rows: readonly Row[], name: string): string[] => [
  ...new Set(rows.map(row => row[name]).filter(value => typeof value === 'string')),
]

function typedRow(schema: z.core.JSONSchema.BaseSchema, money: ReadonlyMap<string, number>, row: Row): Row {
  const texts = Object.entries(row).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  const filled = texts.map(([name, text]) => [name, text.trim()] as [string, string]).filter(([, text]) => text !== '')
  const others = Object.entries(row).filter(([, value]) => typeof value !== 'string')
  const filledRow = { ...Object.fromEntries(others), ...coerceBySchema(schema, filled) }
  // A file has 12.50 where JSON has 1250.
  for (const [name] of filled) {
    const units = money.get(name)
    if (units !== undefined && typeof filledRow[name] === 'number') filledRow[name] = toMinor(filledRow[name], units)
  }
  return filledRow
}

/**
 * Converts an amount to minor units. An amount with a fraction of a minor unit stays a fraction, which every money schema
 * refuses.
 */
function toMinor(amount: number, units: number): number {
  const minor = Math.round(amount * units)
  return minor / units === amount ? minor : amount * units
}

/** Resolves an id or a title to the id of a row that the person may read. */
async function referenced(
  db: Orm,
  session: Session,
  { table, title }: { table: SharedTable; title: SQLiteColumn },
  texts: readonly string[],
): Promise<(text: string) => string | { fault: FieldErrorCode }> {
  const isNamed = (column: SQLiteColumn): SQL =>
    sql`${column} in (select value from json_each(${JSON.stringify(texts)}))`
  const titled = await db
    .select({ id: table.id, title })
    .from(table)
    .where(and(or(isNamed(table.id), isNamed(title)), accessibleTo(table, session)))
  const ids = new Set(titled.map(({ id }) => String(id)))
  const byTitle = Map.groupBy(titled, row => String(row.title))
  return text => {
    if (ids.has(text)) return text
    const [first, second] = byTitle.get(text) ?? []
    if (!first) return { fault: 'no-such-row' }
    return second ? { fault: 'several-rows' } : String(first.id)
  }
}

interface Writing {
  made: readonly (Row & { id: string })[]
  faults: FieldError[]
  isDryRun: boolean
  signal: AbortSignal
}

const UNDO = new Error('undo')

async function write(db: Orm, table: SharedTable, { made, faults, isDryRun, signal }: Writing): Promise<void> {
  // With invalid rows, positions in `made` would not match those in the input.
  if (faults.length > 0) throw invalid(faults)
  const work = db.transaction(async on => {
    for (let from = 0; from < made.length; from += ROWS_AT_ONCE) {
      signal.throwIfAborted()
      const piece = made.slice(from, from + ROWS_AT_ONCE)
      if (await isRefused(() => on.insert(table).values(piece))) {
        for (const [index, row] of piece.entries()) {
          const refusal = await isRefused(() => on.insert(table).values(row))
          if (refusal) faults.push(fieldError(`rows.${from + index}`, refusal))
        }
      }
    }
    if (isDryRun || faults.length > 0) throw UNDO
  })
  await work.catch((error: unknown) => {
    if (error !== UNDO) throw error
  })
  if (faults.length > 0) throw invalid(faults)
}

/** The error code of a violated database constraint; throws all other errors. */
async function isRefused(insert: () => PromiseLike<unknown>): Promise<FieldErrorCode | undefined> {
  try {
    await insert()
  } catch (thrown) {
    // An error with a code concerns the whole import, such as the limit of a plan.
    if (thrown instanceof AppError) throw thrown
    const text = messagesOf(thrown)
    if (/UNIQUE|PRIMARY KEY/.test(text)) return 'already-there'
    if (text.includes('FOREIGN KEY')) return 'no-such-row'
    if (text.includes(FILE_REFUSED)) return 'no-such-file'
    if (/constraint/i.test(text)) return 'not-accepted'
    throw thrown
  }
}

const invalid = (faults: FieldError[]): AppError =>
  new AppError('invalid-input', { errors: faults.slice(0, MOST_ERRORS), extra: { faults: faults.length } })
