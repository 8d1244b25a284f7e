// The texts of a resource in the languages of the generator (locales). The author's nouns stay as written.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { type Field, namesRow, refName } from './fields'
import type { Resource } from './resource'
import { shownInList } from './resource-list'
import { toSentence, withArticle } from './names'

const folder = fileURLToPath(new URL('locales', import.meta.url))

/** The languages that the generator has texts for. */
export const KNOWN_LANGUAGES: readonly string[] = readdirSync(folder).map(name => name.replace('.json', ''))

const words = z.record(z.string(), z.string())

/** The texts of one language with placeholders for the author's nouns: `{one}`, `{many}`, and `{a}` with its article. */
const frameSchema = z.object({
  texts: z.record(z.string(), z.union([z.string(), words])),
  /** Texts for rows of the organization, and for rows of a person. */
  ofOrganization: words,
  ofPerson: words,
  ofImport: words,
  fields: words,
  yes: z.string(),
  no: z.string(),
  sentences: z.object({ create: z.string(), update: z.string(), delete: z.string(), import: z.string() }),
  thing: z.string(),
  /** What a person is asked before a connected app deletes a row. */
  question: z.string(),
})

/** Fills a language's texts with these nouns. */
function frameOf(language: string, nouns: Readonly<Record<string, string>>): z.output<typeof frameSchema> {
  const text = readFileSync(`${folder}/${language}.json`, 'utf8')
  return frameSchema.parse(JSON.parse(text.replaceAll(/\{(one|many|a)\}/g, (_, name: string) => nouns[name] ?? '')))
}

function frameFor({ noun, nouns }: Resource, language: string): z.output<typeof frameSchema> {
  // Only English keeps nouns in lowercase within a sentence.
  const [one, many] = language === 'en' ? [noun, nouns] : [toSentence(noun), toSentence(nouns)]
  return frameOf(language, { one, many, a: withArticle(noun) })
}

/** The catalog with the questions of all resources in a language. */
export const questionPath = (language: string): string => `app/locales/${language}/approval.json`

/** The catalog of a resource in a language. */
export const textPath = ({ plural }: Pick<Resource, 'plural'>, language: string): string =>
  `app/locales/${language}/${plural}.json`

/** Returns the catalog with the question before a row is deleted. */
export function questionFile(resource: Resource, language: string): string {
  const questions = { [`delete-${resource.kebab}`]: frameFor(resource, language).question }
  return `${JSON.stringify({ approval: { questions } }, null, 2)}\n`
}

/**
 * Returns the author's words that a catalog contains as they were written: nouns, labels that the generator cannot translate, and
 * values. None in English.
 */
export function writtenWords(resource: Resource, language: string): string[] {
  if (language === 'en') return []
  const { noun, nouns, fields } = resource
  const known = frameFor(resource, language).fields
  const labels = fields.filter(({ name }) => known[name] === undefined).map(labelOf)
  const values = fields.flatMap(field => (field.type === 'enum' ? field.values : []))
  return [...new Set([toSentence(noun), toSentence(nouns), ...labels, ...values.map(toSentence)])]
}

/** The label of a field in words: a reference has that of the other row. */
const labelOf = ({ name, type }: Pick<Field, 'name' | 'type'>): string =>
  toSentence(namesRow({ type }) ? refName(name) : name)

/** Returns the catalog of a resource in one of these languages. */
export function textFile(resource: Resource, language: string): string {
  const { nouns, fields, variable, kebab, plural, table, isOrg, hasImport } = resource
  const frame = frameFor(resource, language)
  const enums = fields.filter(({ type }) => type === 'enum')
  const truths = shownInList(resource).some(({ type }) => type === 'boolean') ? { yes: frame.yes, no: frame.no } : {}
  const catalog = {
    [variable]: {
      name: toSentence(nouns),
      ...frame.texts,
      ...(isOrg ? frame.ofOrganization : frame.ofPerson),
      ...(hasImport ? frame.ofImport : {}),
      ...truths,
      fields: Object.fromEntries([
        ...fields.map(field => [field.name, frame.fields[field.name] ?? labelOf(field)] as const),
        ['updatedAt', frame.fields.updatedAt] as const,
      ]),
      ...(enums.length > 0 && {
        values: Object.fromEntries(
          enums.map(({ name, values }) => [name, Object.fromEntries(values.map(value => [value, toSentence(value)]))]),
        ),
      }),
    },
    auditActions: Object.fromEntries(
      Object.entries(frame.sentences).flatMap(([verb, sentence]) => {
        if (verb !== 'import') return [[`${verb}-${kebab}`, sentence]]
        return hasImport ? [[`import-${plural}`, sentence]] : []
      }),
    ),
    auditThings: { [table]: frame.thing },
  }
  return `${JSON.stringify(catalog, null, 2)}\n`
}
