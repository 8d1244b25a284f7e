// Types of fields that JSON Schema cannot describe.
import { customType, type SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { z } from 'zod'
import { minorUnits } from '../../shared/money'
import { namedValues, refusedValue } from './named-values'

/**
 * An amount of money: a whole number of the currency's smallest units, as `integer()` columns store it. Takes an ISO 4217 code,
 * and the smallest amount; without one, amounts may be negative.
 */
export const moneySchema = (currency: string, { min }: { min?: number } = {}) =>
  (min === undefined ? z.int() : z.int().min(min)).meta({
    currency,
    description: `An amount in ${currency}. Whole number of its smallest units: ${minorUnits(currency)} is 1 ${currency}.`,
  })

const MOST_JSON = 20_000

/** An object of any shape, up to 20,000 characters of JSON, as `text(…, { mode: 'json' })` columns hold it. */
export const jsonSchema = z.record(z.string(), z.unknown()).superRefine((value, context) => {
  if (JSON.stringify(value).length > MOST_JSON)
    context.addIssue({ code: 'too_big', origin: 'string', maximum: MOST_JSON, input: value, message: '' })
})

// The SQL type of file columns, by which they are found in any table.
export const FILE_TYPE = 'text_file'
export const FILES_TYPE = 'text_files'

interface FileColumnOptions {
  /** The name of a file in `server/uploads`. */
  upload: string
}

/**
 * A column that holds one uploaded file, by its id. The file is kept as long as the row refers to it, for every kind of write.
 */
export const file = customType<{
  data: string
  driverData: string
  config: FileColumnOptions
  configRequired: true
}>({ dataType: () => FILE_TYPE })

/** A column with several uploaded files, in their order. */
export const files = customType<{
  data: string[]
  driverData: string
  config: FileColumnOptions & { most?: number }
  configRequired: true
}>({
  dataType: () => FILES_TYPE,
  toDriver: ids => JSON.stringify(ids),
  fromDriver: text => z.array(z.string()).parse(JSON.parse(text)),
})

/** Returns whether a column contains files. */
export const isFileColumn = (column: SQLiteColumn): boolean => [FILE_TYPE, FILES_TYPE].includes(column.getSQLType())

// The SQL type and the ending of the names of folded columns, by which they are found in any table.
export const FOLDED_TYPE = 'text_folded'
export const FOLDED_ENDING = '_folded'

/** The value of a column of `foldedText`. */
export type FoldedText = string & z.core.$brand<'FoldedText'>

const foldedColumn = customType<{ data: FoldedText; driverData: string }>({ dataType: () => FOLDED_TYPE })

/**
 * A column that holds the text of another one without case and marks, for searches and orders of large tables. Takes the other
 * column's name in the database and adds `_folded`. Triggers write it with every kind of write.
 */
export const foldedText = (of: string) => foldedColumn(`${of}${FOLDED_ENDING}`)

const uploadOrId = z
  .union([z.string().min(1).max(2000), z.object({ id: z.string().max(64), ticket: z.string().max(2000).optional() })])
  .transform(value => (typeof value === 'string' ? value : (value.ticket ?? value.id)))

/** The id of the file that a text names, outside of `runAction` the text itself. A refused one becomes an issue. */
function toId(upload: string, text: string, context: z.core.$RefinementCtx): string {
  const file = namedValues()?.file(upload, text) ?? { id: text }
  if ('id' in file) return file.id
  context.addIssue(refusedValue(file.fault, text))
  return text
}

const toTake = (upload: string) =>
  `the ticket that \`POST /_fw/files/${upload}\` answered, or the id of a file that the row has`

/**
 * A file in the input of an action: a ticket of this upload, or a file that the row already has. The action receives the file's
 * id.
 */
export const fileSchema = (upload: string) =>
  uploadOrId
    .transform((text, context) => toId(upload, text, context))
    .meta({ upload, description: `A file: ${toTake(upload)}.` })

/** Several files in the input of an action, at most `most`. The action receives their ids. */
export const filesSchema = (upload: string, most = 10) =>
  z
    .array(uploadOrId)
    .max(most)
    .superRefine((texts, context) => {
      context.value = [...new Set(texts.map(text => toId(upload, text, context)))]
    })
    .meta({ upload, description: `Files, each of them ${toTake(upload)}.` })

/** A file as collections send it: the type of `storedFile`. */
export type StoredFile = z.output<typeof storedFile>

/** A file as collections send it. `url` is the path of its bytes, for those who may read the row. */
export const storedFile = z.object({
  id: z.string(),
  name: z.string(),
  type: z.string().describe('The media type that its bytes say.'),
  size: z.int().describe('In bytes.'),
  url: z.string().describe('The path of its bytes; with `?download` browsers save them.'),
})
