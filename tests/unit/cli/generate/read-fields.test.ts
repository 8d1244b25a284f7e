import { describe, expect, it } from 'vitest'
import { readFields } from '#fairway/cli/generate/read-fields'

/** The file of a table `lessons` with these imports, columns and foreign keys, and this input. */
const file = (imports: string, columns: readonly string[], input: readonly string[], keys: readonly string[] = []) =>
  `import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
${imports}
export const lessons = sqliteTable(
  'lessons',
  {
    id: text('id').primaryKey(),
${columns.map(line => `    ${line},\n`).join('')}  },
  table => [${keys.join(', ')}],
)

export const lessonId = z.string().min(1).max(64)

export const lessonInput = z.object({
${input.map(line => `  ${line},\n`).join('')}})
`
const read = (...parts: Parameters<typeof file>) =>
  readFields(file(...parts), { input: 'lessonInput', table: 'lessons' })
const ROOM = `roomId: text('room_id').notNull()`
const KEY = 'references({ orgId: table.orgId, id: table.roomId }, rooms)'
const room = { name: 'roomId', type: 'ref', isOptional: false, values: ['rooms'] }

describe('a reference in a table’s file', () => {
  it.each([
    ['before the table in the import', `import { roomId, rooms } from './rooms'`],
    ['behind the table in the import', `import { rooms, roomId } from './rooms'`],
    ['in an import of several lines', `import {\n  roomId,\n  rooms,\n} from './rooms'`],
  ])('is read with its id %s', (_, imports) => {
    expect(read(imports, [ROOM], ['roomId'], [KEY])).toEqual({ fields: [room], authorFields: [] })
  })

  it('is read when its author has edited the line in the input, or has removed the foreign key', () => {
    const imports = `import { roomId, rooms } from './rooms'`
    expect(read(imports, [ROOM], [`roomId: z.string().describe('Where it is.')`], [KEY])?.fields).toEqual([room])
    expect(read(imports, [ROOM], [`roomId: roomId.describe('Where it is.')`])?.fields).toEqual([room])
  })

  it('is optional when its column is', () => {
    const found = read(
      `import { roomId, rooms } from './rooms'`,
      [`roomId: text('room_id')`],
      ['roomId: roomId.nullish()'],
      [KEY],
    )
    expect(found?.fields).toEqual([{ ...room, isOptional: true }])
  })

  it('is read with the name of its own table', () => {
    const key = 'references({ orgId: table.orgId, id: table.nextId }, table)'
    const found = read('', [`nextId: text('next_id')`], ['nextId: lessonId.nullable()'], [key])
    expect(found?.fields).toEqual([{ name: 'nextId', type: 'ref', isOptional: true, values: ['lessons'] }])
  })
})

describe('an edited line of the input', () => {
  it.each([
    [`mail: text('mail').notNull()`, `mail: z.email().max(254).describe('Yours.')`, 'email', false, []],
    [`mail: text('mail')`, `mail: z.email().max(254).nullable().default(null)`, 'email', true, []],
    [`size: integer('size').notNull()`, `size: z.int().min(1)`, 'integer', false, []],
    [`fee: integer('fee')`, `fee: moneySchema('EUR').nullish()`, 'money', true, ['EUR']],
    [
      `state: text('state', { enum: ['new', 'old'] })\n      .notNull()\n      .default('new')`,
      `state: z.enum(lessons.state.enumValues).describe('How it is.')`,
      'enum',
      false,
      ['new', 'old'],
    ],
  ])('keeps the type of %s', (column, line, type, isOptional, values) => {
    const name = line.split(':')[0]
    expect(read('', [column], [line])).toEqual({
      fields: [{ name, type, isOptional, values, isEdited: true }],
      authorFields: [],
    })
  })

  it('is a field of the author’s own when its column is edited as well', () => {
    expect(read('', [`size: integer('size').notNull().default(7)`], ['size: z.int().min(1)'])).toEqual({
      fields: [],
      authorFields: ['size'],
    })
  })
})
