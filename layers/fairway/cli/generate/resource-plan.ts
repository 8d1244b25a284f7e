// `fw generate resource`: its files, its migration, and further fields of an existing resource.
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { discoverAll } from '../../modules/registry/discover'
import { routePlaces } from '../../modules/registry/collections'
import { platformDir } from '../../modules/registry/roots'
import { platformNames } from '../../modules/tables/check-tables'
import { type FileChange, readIn } from '../project/changes'
import {
  columnOf,
  type Field,
  fieldText,
  hasDefault,
  isFile,
  namesRow,
  parseFields,
  type RefTarget,
  titleField,
} from './fields'
import { readFields } from './read-fields'
import { planMigration } from './migration'
import { pluralOf, toCamel, toKebab, toSentence, toSnake } from './names'
import { type GeneratePlan, languagesOf, planFiles } from './plan'
import { refsOf, titleOf, toResource, type Resource } from './resource'
import { importPath } from './resource-actions'
import { resourceFiles, tablePath } from './resource-files'
import { KNOWN_LANGUAGES, textPath, writtenWords } from './resource-texts'
import { UsageFault } from '../terminal'

export interface ResourceArgs {
  name: string
  fields: readonly string[]
  plural?: string
  isOrg: boolean
  force: boolean
  /** True when only an existing resource may get fields. */
  isThere?: boolean
  /** Whether it supports the import of many rows at once. */
  hasImport?: boolean
}

/** Plans `fw generate resource` in a project; writes nothing. Throws a UsageFault for an impossible request. */
export async function planResource(root: string, args: ResourceArgs): Promise<GeneratePlan> {
  const present = formerResource(root, args)
  if (args.isThere && !present)
    throw new UsageFault(`There is no ${args.name} here yet: \`fw generate resource ${args.name} …\` makes one.`)
  const had = present ?? NOTHING
  // The author's own fields stay as they are, and the generator has no code for them.
  const typed = parseFields(args.fields).filter(({ name }) => !had.authorFields.includes(name))
  const resource = toResource({
    name: args.name,
    plural: args.plural,
    isOrg: args.isOrg || had.isOrg,
    hasImport: args.hasImport || had.hasImport,
    fields: mergedFields(had.fields, withTargets(root, typed, args)),
    authorFields: had.authorFields,
  })
  checkRefs(resource, had.fields)
  if (!present) checkFree(root, resource)
  const languages = languagesOf(root)
  const known = languages.filter(language => KNOWN_LANGUAGES.includes(language))
  const files = resourceFiles(resource, known)
  const former = present ? formerFiles(present, known) : []
  const { changes, kept: skipped } = planFiles(root, {
    files,
    former,
    added: addedFields(resource, present),
    force: args.force,
  })
  const table = changes.find(({ path }) => path === tablePath(resource))
  if (table && present) checkAdded(resource, present)
  const migration = await planMigration(root, {
    table,
    name: migrationName(resource, present),
    added: addedColumns(resource, present),
  })
  const isOwn = skipped.some(({ path }) => path === tablePath(resource))
  return {
    changes: [...changes, ...migration.changes],
    kept: skipped,
    remarks: [
      ...migration.remarks,
      ...(isOwn ? [OWN_TABLE] : []),
      ...unknownColumns(resource, args),
      ...untranslated(languages, resource),
      ...toTranslate(changes, resource),
    ],
    next: [
      `open /${resource.plural} (\`npm run dev\`)`,
      `run its test: npx vitest run tests/${resource.plural}.test.ts`,
    ],
  }
}

const NOTHING: Pick<Resource, 'isOrg' | 'hasImport' | 'fields' | 'authorFields'> = {
  isOrg: false,
  hasImport: false,
  fields: [],
  authorFields: [],
}

const OWN_TABLE = 'The table is yours: once it has the new columns, `npm run db:generate` writes their migration.'

/** The fields that the dialog of an import lacks. */
const unknownColumns = ({ authorFields, plural }: Resource, { hasImport }: Pick<ResourceArgs, 'hasImport'>): string[] =>
  (hasImport ? authorFields : []).map(
    name => `${name} is a field of your own: add it to the import in app/pages/${plural}/index.vue.`,
  )

const untranslated = (languages: readonly string[], { plural }: Resource): string[] =>
  languages
    .filter(language => !KNOWN_LANGUAGES.includes(language))
    .map(language => `In ${language}, these texts are English until app/locales/${language}/${plural}.json has them.`)

/** The words that an author translates in each catalog that changes; those that it had already are done. */
const toTranslate = (changes: readonly FileChange[], resource: Resource): string[] =>
  KNOWN_LANGUAGES.flatMap(language => {
    const catalog = changes.find(({ path }) => path === textPath(resource, language))
    const words = writtenWords(resource, language).filter(word => !catalog?.before?.includes(word))
    return catalog && words.length > 0 ? [`Translate in ${catalog.path}: ${words.join(', ')}.`] : []
  })

/** Returns the earlier outputs of the generator for a resource, with and without an organization, the more likely first. */
export const formerFiles = (present: Resource, languages: readonly string[]): Map<string, string>[] =>
  [present.isOrg, !present.isOrg].map(isOrg => resourceFiles({ ...present, isOrg }, languages))

/**
 * Returns the resource that its table's file declares; undefined without such a file. Throws a UsageFault for a table that was
 * not generated.
 */
export function formerResource(
  root: string,
  { name, plural = pluralOf(name) }: Pick<ResourceArgs, 'name' | 'plural'>,
): Resource | undefined {
  const path = tablePath({ plural: toKebab(plural) })
  const text = readIn(root, path)
  if (text === undefined) return undefined
  const declared = readFields(text, { input: `${toCamel(name)}Input`, table: toCamel(plural) })
  if (!declared)
    throw new UsageFault(
      `${path} is there and is no table that was generated, or its ${toCamel(name)}Input is no longer as generated. Change or remove it and what uses it yourself, or choose another name.`,
    )
  const action = readIn(root, `server/actions/${toKebab(plural)}/create-${toKebab(name)}.ts`)
  const wasOrg = action?.includes('requireOrganization') ?? text.includes('organizationColumns()')
  const hasImport = readIn(root, importPath({ plural: toKebab(plural) })) !== undefined
  const fields = withTargets(root, declared.fields, { name, plural })
  return toResource({ name, plural, fields, isOrg: wasOrg, hasImport, authorFields: declared.authorFields })
}

interface Named extends Pick<ResourceArgs, 'name' | 'plural'> {
  /** The plurals of the resources that refer to this one. */
  from?: readonly string[]
}

/** Returns the fields of a resource with the target of each reference. */
const withTargets = (
  root: string,
  fields: readonly Field[],
  { name, plural = pluralOf(name), from = [] }: Named,
): Field[] =>
  fields.map(field => {
    if (isFile(field)) return { ...field, values: [`${toKebab(name)}-${toKebab(field.name)}`] }
    if (field.type !== 'ref') return field
    const [referred = ''] = field.values
    const isOwn = referred === toKebab(plural)
    const self = { title: titleOf(fields)?.name ?? '', fields: [] }
    const target = isOwn ? targetOf(name, plural, self) : readTarget(root, referred, [...from, toKebab(plural)])
    return { ...field, target }
  })

/** Returns a resource as the target of references. */
const targetOf = (name: string, plural: string, { title, fields }: Pick<RefTarget, 'title' | 'fields'>): RefTarget => ({
  plural: toKebab(plural),
  variable: toCamel(plural),
  camel: toCamel(name),
  kebab: toKebab(name),
  title,
  fields,
})

/**
 * Returns a resource of this project as a target of references; throws a UsageFault when it does not exist or does not belong to
 * the organization.
 */
function readTarget(root: string, plural: string, from: readonly string[]): RefTarget {
  const path = tablePath({ plural })
  const text = readIn(root, path)
  if (text === undefined) throw new UsageFault(`There is no ${path} to refer to. Generate it first, with --org.`)
  const table = toSnake(plural)
  if (!text.includes('organizationColumns()') || !text.includes(`uniqueIndex('${table}_org_id')`))
    throw new UsageFault(
      `${path} cannot be referred to: it needs organizationColumns() and uniqueIndex('${table}_org_id').on(table.orgId, table.id).`,
    )
  const variable = toCamel(plural)
  for (const { name, path: listPath } of discoverAll(root, 'server/collections')) {
    const list = readIn(root, listPath) ?? ''
    const title = /search: \{\s*title: '(\w+)'/.exec(list)?.[1]
    if (!list.includes(`root: ${variable},`) && !list.includes(`source: ${variable},`)) continue
    const kebab = name.replace(/-list$/, '')
    const declared = readFields(text, { input: `${toCamel(kebab)}Input`, table: variable })
    if (!title || !declared) continue
    const isSeen = from.includes(plural)
    return targetOf(kebab, plural, {
      title,
      fields: isSeen ? [] : withTargets(root, declared.fields, { name: kebab, plural, from }),
    })
  }
  throw new UsageFault(`${path} has no collection with a search: the form could not find its rows.`)
}

/** The plurals that a reference leads to. */
const reached = ({ target }: Field): string[] => (target ? [target.plural, ...target.fields.flatMap(reached)] : [])

/** Throws for references that cannot be generated. */
function checkRefs({ isOrg, fields, plural }: Resource, had: readonly Field[]): void {
  const naming = fields.filter(namesRow)
  if (naming.length === 0) return
  if (!isOrg) throw new UsageFault('Only rows of an organization refer to others, or have a team: say --org.')
  const isNew = (name: string) => !had.some(old => old.name === name)
  const twice = naming.find(named =>
    fields.some(({ name }) => name === titleField(named) && (isNew(name) || isNew(named.name))),
  )
  if (twice)
    throw new UsageFault(
      `The list has ${titleField(twice)} from the ${twice.type === 'team' ? 'team' : 'reference'}. Give the field another name.`,
    )
  const refs = refsOf({ fields })
  const circle = refs.find(
    ({ name, target }) => target.plural !== plural && target.fields.flatMap(reached).includes(plural) && isNew(name),
  )
  if (circle)
    throw new UsageFault(
      `${toSentence(circle.target.plural)} refer to the ${plural}. Their files cannot import each other: generate a resource that refers to both.`,
    )
  const ownRef = refs.find(({ target, isOptional }) => target.plural === plural && !isOptional)
  if (ownRef)
    throw new UsageFault(
      `The first of the ${plural} has none to refer to: write "${fieldText({ ...ownRef, isOptional: true })}".`,
    )
}

/** Keeps the existing fields and appends those of the command. */
function mergedFields(present: readonly Field[], typed: readonly Field[]): Field[] {
  for (const field of typed) {
    const old = present.find(({ name }) => name === field.name)
    const isKnown = old?.isEdited ? columnOf(old) === columnOf(field) : old && fieldText(old) === fieldText(field)
    if (old && !isKnown)
      throw new UsageFault(
        `${field.name} is ${fieldText(old)}, and what is stored has to be changed with it. Change the table, its input and the form yourself, then run \`npm run db:generate\`.`,
      )
  }
  return [...present, ...typed.filter(({ name }) => !present.some(old => old.name === name))]
}

/** Throws for new columns that existing rows have no value for. */
function checkAdded({ fields }: Resource, present: Resource): void {
  const wrong = fields.find(field => !hasDefault(field) && !present.fields.some(({ name }) => name === field.name))
  if (wrong)
    throw new UsageFault(
      `Rows that are there have no ${wrong.name}, so a new field may be empty or has a default: write "${fieldText({ ...wrong, isOptional: true })}", or use a boolean or an enum.`,
    )
}

const addedFields = ({ fields }: Resource, present: Resource | undefined): string[] =>
  present ? fields.slice(present.fields.length).map(({ name }) => name) : []

const addedColumns = (resource: Resource, present: Resource | undefined): string[] =>
  addedFields(resource, present).map(toSnake)

const migrationName = (resource: Resource, present: Resource | undefined): string =>
  [resource.table, ...addedColumns(resource, present)].join('_').slice(0, 60)

/** Throws when the platform or the application already uses a name. */
function checkFree(root: string, resource: Resource): void {
  const { table, plural, collection, kebab, variable } = resource
  const fault = (what: string) => {
    throw new UsageFault(`${toSentence(resource.noun)} cannot be generated: ${what}. Choose another name or --plural.`)
  }
  if (table.startsWith('fw_') || platformNames().includes(table)) fault(`the platform has a table ${table}`)
  const names = ['create', 'delete', 'get', 'update'].map(verb => `${verb}-${kebab}`)
  const action = discoverAll(root, 'server/actions').find(
    ({ name, path }) => names.includes(name) && path !== `server/actions/${plural}/${name}.ts`,
  )
  if (action) fault(`there is an action ${action.name} (${action.path})`)
  const list = discoverAll(root, 'server/collections').find(({ name }) => name === collection || name === plural)
  if (list && list.path !== `server/collections/${collection}.ts`) fault(`there is a collection ${list.path}`)
  if (['api', 'contexts'].includes(plural) || routePlaces(root).has(plural))
    fault(`the address /${plural} is taken by a route`)
  const pages = globSync(`app/pages/{${plural}.vue,${plural}/**/*.vue}`, { cwd: platformDir })
  if (pages[0]) fault(`the platform has the page /${plural}`)
  if (platformGroups().has(variable)) fault(`the platform has texts called ${variable}`)
}

const platformGroups = (): Set<string> => {
  const folder = join(platformDir, 'app/locales/en')
  return new Set(readdirSync(folder).flatMap(name => Object.keys(JSON.parse(readFileSync(join(folder, name), 'utf8')))))
}
