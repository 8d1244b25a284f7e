import { describe, expect, it } from 'vitest'
import { jsonSchema } from 'nuxt-fairway/tables'
import { z } from 'zod'
import ar from '#fairway/app/locales/ar/field-errors.json'
import de from '#fairway/app/locales/de/field-errors.json'
import { createTexts } from '#fairway/app/language/texts'
import { fieldText } from '#fairway/app/request/field-text'
import { compileTexts } from '#fairway/modules/texts/compile-texts'
import { parseInput } from '#fairway/server/kernel/http/read-input'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { fieldErrors } from '#fairway/shared/field-errors'
import type { FieldError } from '#fairway/shared/schemas/problem'

function errorOf(schema: z.ZodType, value: unknown): FieldError {
  try {
    parseInput(z.strictObject({ field: schema }), { field: value })
  } catch (error) {
    const [first] = error instanceof AppError ? (error.errors ?? []) : []
    if (first) return first
    throw error
  }
  throw new Error('it was accepted')
}

const global = createTexts({})
global.add('de', compileTexts(de))
global.add('ar', compileTexts(ar))

function inLanguage(language: 'en' | 'de' | 'ar', error: FieldError): string {
  const texts = { t: global.t, te: (key: string) => global.te(key, language) }
  global.locale.value = language
  return fieldText(error, texts)
}

type Case = [code: keyof typeof fieldErrors, z.ZodType, value: unknown, english: string, params?: object]

const kinds = z.discriminatedUnion('kind', [z.object({ kind: z.literal('a') }), z.object({ kind: z.literal('b') })])
const SECRET = 'horse-battery'

const cases: Case[] = [
  ['required', z.string(), undefined, 'Enter a value.'],
  ['required', z.string().min(1), '', 'Enter a value.'],
  ['required', z.enum(['a']), undefined, 'Enter a value.'],
  ['required', z.union([z.string(), z.number()]), undefined, 'Enter a value.'],
  ['required', kinds, {}, 'Enter a value.'],
  ['not-text', z.string(), 7, 'Enter text.'],
  ['broken-text', z.string(), `${SECRET}\u0000`, 'Remove the characters that cannot be stored.'],
  ['not-a-number', z.number(), SECRET, 'Enter a number.'],
  ['not-a-whole-number', z.int(), 1.5, 'Enter a whole number.'],
  ['not-a-boolean', z.boolean(), SECRET, 'Enter true or false.'],
  ['not-a-list', z.array(z.string()), SECRET, 'Enter a list.'],
  ['not-an-object', z.object({}), SECRET, 'Enter an object in JSON.'],
  ['not-an-object', jsonSchema, '{', 'Enter an object in JSON.'],
  ['too-long', jsonSchema, { a: 'x'.repeat(20_000) }, 'Use at most 20000 characters.', { most: 20_000 }],
  ['not-a-date', z.iso.date(), SECRET, 'Enter a date, such as 2026-01-31.'],
  ['not-a-date', z.coerce.date(), SECRET, 'Enter a date, such as 2026-01-31.'],
  ['not-a-time', z.iso.time(), SECRET, 'Enter a time, such as 09:30.'],
  ['not-a-datetime', z.iso.datetime(), SECRET, 'Enter a date and time, such as 2026-01-31T09:30:00Z.'],
  ['not-an-email', z.email(), SECRET, 'Enter an email address.'],
  ['not-a-url', z.url(), SECRET, 'Enter a full web address, such as https://example.com.'],
  ['not-an-id', z.uuid(), SECRET, 'Enter a valid ID.'],
  ['wrong-format', z.string().regex(/^\d+$/), SECRET, 'This is not in the expected format.', { format: 'regex' }],
  ['wrong-start', z.string().startsWith('DE'), SECRET, 'Start with “DE”.', { start: 'DE' }],
  ['wrong-end', z.string().endsWith('.pdf'), SECRET, 'End with “.pdf”.', { end: '.pdf' }],
  ['missing-part', z.string().includes('/'), SECRET, 'Include “/”.', { part: '/' }],
  ['too-short', z.string().min(20), SECRET, 'Use at least 20 characters.', { least: 20 }],
  ['too-long', z.string().max(1), SECRET, 'Use at most 1 character.', { most: 1 }],
  ['too-long', z.string().max(2), SECRET, 'Use at most 2 characters.', { most: 2 }],
  ['wrong-length', z.string().length(4), SECRET, 'Use exactly 4 characters.', { exactly: 4 }],
  ['too-few', z.array(z.string()).min(1), [], 'Add at least 1 entry.', { least: 1 }],
  ['too-many', z.array(z.string()).max(1), [SECRET, SECRET], 'Use at most 1 entry.', { most: 1 }],
  ['wrong-count', z.array(z.string()).length(2), [], 'Use exactly 2 entries.', { exactly: 2 }],
  ['too-small', z.number().min(5), 4, 'Enter 5 or more.', { least: 5 }],
  ['too-large', z.number().max(5), 6, 'Enter 5 or less.', { most: 5 }],
  ['not-above', z.number().positive(), 0, 'Enter a number above 0.', { above: 0 }],
  ['not-below', z.number().lt(5), 5, 'Enter a number below 5.', { below: 5 }],
  ['not-a-multiple', z.number().multipleOf(0.5), 0.3, 'Enter a multiple of 0.5.', { of: 0.5 }],
  [
    'too-early',
    z.date().min(new Date('2026-01-31')),
    new Date(0),
    'Enter 2026-01-31 or later.',
    { least: '2026-01-31' },
  ],
  [
    'too-late',
    z.date().max(new Date('2026-01-31T09:30:00Z')),
    new Date(),
    'Enter 2026-01-31T09:30:00.000Z or earlier.',
    { most: '2026-01-31T09:30:00.000Z' },
  ],
  ['not-an-option', z.literal(true), false, 'Choose one of these: true.', { options: ['true'] }],
  [
    'not-an-option',
    z.enum(['draft', 'done']),
    SECRET,
    'Choose one of these: draft, done.',
    { options: ['draft', 'done'] },
  ],
  ['not-an-option', kinds, { kind: SECRET }, 'Choose one of these: a, b.', { options: ['a', 'b'] }],
  ['unknown-fields', z.strictObject({}), { colour: SECRET }, 'Remove unknown fields: colour.', { fields: ['colour'] }],
  [
    'unknown-fields',
    z.strictObject({}),
    { colour: SECRET, size: SECRET },
    'Remove unknown fields: colour, size.',
    { fields: ['colour', 'size'] },
  ],
  ['invalid', z.union([z.string(), z.number()]), {}, 'Enter a valid value.'],
  ['invalid', z.string().refine(() => false), SECRET, 'Enter a valid value.'],
  ['invalid', z.record(z.string().max(3), z.string()), { [SECRET]: SECRET }, 'Enter a valid value.'],
]

describe('a field error', () => {
  it.each(cases)('has the code %s and an English message', (code, schema, value, english, params) => {
    const error = errorOf(schema, value)
    expect(error).toMatchObject({ code, message: english })
    expect(error.params).toEqual(params)
    expect(error.path).toMatch(/^field/)
    expect(JSON.stringify({ ...error, path: '' })).not.toContain(SECRET)
  })

  it.each(cases)('has a text in every language: %s', (_code, schema, value, english, params = {}) => {
    const error = errorOf(schema, value)
    expect(inLanguage('en', error)).toBe(english)
    for (const language of ['de', 'ar'] as const) {
      const text = inLanguage(language, error)
      expect(text).not.toBe(english)
      expect(text).not.toMatch(/[{|}]/)
      // Arabic writes one and two as words.
      const shown = Object.values(params)
        .flat()
        .map(String)
        .filter(one => !(language === 'ar' && /^[12]$/.test(one)))
      for (const one of shown.filter(each => english.includes(each))) expect(text).toContain(one)
    }
  })

  it.each<[z.ZodType, unknown, german: string, arabic: string]>([
    [z.string(), undefined, 'Geben Sie einen Wert ein.', 'أدخل قيمة.'],
    [z.string().max(2), SECRET, 'Verwenden Sie höchstens 2 Zeichen.', 'استخدم حرفين كحد أقصى.'],
    [z.array(z.any()).min(1), [], 'Geben Sie mindestens 1 Eintrag an.', 'أضف عنصرًا واحدًا على الأقل.'],
    [z.array(z.any()).min(2), [], 'Geben Sie mindestens 2 Einträge an.', 'أضف عنصرين على الأقل.'],
    [z.enum(['a', 'b']), SECRET, 'Wählen Sie eines davon: a, b.', 'اختر واحدًا مما يلي: a, b.'],
  ])('uses the right plural form: %#', (schema, value, german, arabic) => {
    const error = errorOf(schema, value)
    expect([inLanguage('de', error), inLanguage('ar', error)]).toEqual([german, arabic])
  })

  it('is tested for every code of the catalog', () => {
    // The errors that imports add to those of the schema (tests/unit/domains/actions/import-rows.test.ts).
    const ofImports = ['no-such-row', 'several-rows', 'no-member', 'already-there', 'not-accepted']
    // The errors of files (tests/http/files.test.ts).
    const ofFiles = ['no-such-file', 'upload-expired']
    // The errors of teams (tests/unit/domains/organizations/teams/teams.test.ts, tests/requests/teams.test.ts).
    const ofTeams = ['name-taken', 'no-team']
    expect(new Set([...cases.map(([code]) => code), ...ofImports, ...ofFiles, ...ofTeams])).toEqual(
      new Set(Object.keys(fieldErrors)),
    )
  })
})

describe('a message in the schema', () => {
  it.each([
    ['of a check', z.string().min(1, 'Name it.'), ''],
    ['of a type', z.string('Name it.'), 7],
    ['of a type, for its checks', z.string({ error: 'Name it.' }).min(3), 'a'],
    ['of a format', z.email('Name it.'), 'a'],
    ['of a choice', z.enum(['a'], 'Name it.'), 'b'],
    ['of a refinement', z.string().refine(() => false, 'Name it.'), 'a'],
    ['of a function', z.string({ error: ({ input }) => (input === 7 ? 'Name it.' : undefined) }), 7],
  ])('is kept unchanged: %s', (_, schema, value) => {
    const error = errorOf(schema, value)
    expect(error).toEqual({ path: 'field', message: 'Name it.' })
    expect(inLanguage('de', error)).toBe('Name it.')
  })

  it('leaves other faults to the catalog', () => {
    const schema = z.string({ error: ({ input }) => (input === undefined ? 'Name it.' : undefined) })
    expect(errorOf(schema, 7)).toMatchObject({ code: 'not-text', message: 'Enter text.' })
  })
})
