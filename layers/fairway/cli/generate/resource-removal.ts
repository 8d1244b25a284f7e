// `fw remove resource`: the files to delete, those that stay with the reason, and the migration that drops the table.
import { basename, dirname, join } from 'node:path'
import { filesBelow, NO_SOURCES } from '../../modules/registry/discover'
import { aliases, platformDir } from '../../modules/registry/roots'
import { TABLES_PLACE } from '../../modules/tables'
import { isCatalog, LANGUAGE_FILE } from '../../server/kernel/locale-files'
import { jsonOf } from '../../server/kernel/declaration'
import { type FileChange, readIn } from '../project/changes'
import { UsageFault } from '../terminal'
import { planMigration } from './migration'
import { pluralOf, toKebab } from './names'
import { languagesOf, planFiles } from './plan'
import type { Resource } from './resource'
import { tablePath } from './resource-files'
import { formerFiles, formerResource } from './resource-plan'
import { KNOWN_LANGUAGES, questionPath, textPath } from './resource-texts'

interface RemovalArgs {
  name: string
  plural?: string
  force: boolean
}

export interface RemovalPlan {
  /** The files to delete, and the migration. */
  changes: FileChange[]
  /** The files that stay, with the reason. */
  kept: { path: string; why: string }[]
  /** Notes for the person, one sentence each. */
  remarks: string[]
}

/** Plans `fw remove resource` in a project; writes nothing. Throws a UsageFault for a resource that cannot be removed. */
export async function planRemoval(root: string, args: RemovalArgs): Promise<RemovalPlan> {
  const resource = formerResource(root, args)
  if (!resource) throw new UsageFault(missingText(root, args))
  const languages = languagesOf(root)
  const former = formerFiles(
    resource,
    languages.filter(language => KNOWN_LANGUAGES.includes(language)),
  )
  const texts = languages.map(language => textPath(resource, language))
  // The catalogs of questions belong to all resources.
  const questions = languages.map(questionPath)
  const generatedPaths = former.flatMap(files => [...files.keys()]).filter(path => !questions.includes(path))
  const paths = [...new Set([...generatedPaths, ...texts])]
  const usedIn = (path: string) => usedFiles(root, path, { paths, resource })
  checkUnused(root, { paths, resource, usedIn })
  const files = new Map(paths.map(path => [path, undefined]))
  const { changes, kept: edited } = planFiles(root, { files, former, force: args.force })
  const reasons = new Map(edited.map(({ path }) => [path, 'you have edited it']))
  // A file that stays also keeps the files it uses, so that the application still builds. The loop also visits the files that it
  // adds.
  for (const path of reasons.keys())
    for (const used of usedIn(path)) if (!reasons.has(used)) reasons.set(used, `${path} uses it`)
  const removed = changes.filter(({ path }) => !reasons.has(path))
  const table = removed.find(({ path }) => path === tablePath(resource))
  const migration = await planMigration(root, { table, name: `drop_${resource.table}`.slice(0, 60) })
  const deleted = [...removed, ...withoutQuestion(root, resource, { removed, questions })]
  return {
    changes: [...deleted, ...keptLanguages(root, languages, deleted), ...migration.changes],
    kept: [...reasons].map(([path, why]) => ({ path, why })),
    remarks: [...migration.remarks, ...lossOf(migration.changes)],
  }
}

/** Takes the question of a removed deletion out of the catalogs. A catalog without other texts is deleted. */
function withoutQuestion(
  root: string,
  { plural, kebab }: Resource,
  { removed, questions }: { removed: readonly FileChange[]; questions: readonly string[] },
): FileChange[] {
  const name = `delete-${kebab}`
  if (!removed.some(({ path }) => path === `server/actions/${plural}/${name}.ts`)) return []
  return questions.flatMap(path => {
    const before = readIn(root, path)
    const catalog = jsonOf(before ?? '')
    if (!isCatalog(catalog) || !isCatalog(catalog.approval) || !isCatalog(catalog.approval.questions)) return []
    const { [name]: gone, ...others } = catalog.approval.questions
    if (gone === undefined) return []
    const { questions: _questions, ...approval } = catalog.approval
    const { approval: _approval, ...rest } = catalog
    const left = Object.keys(others).length > 0 ? { ...approval, questions: others } : approval
    const after = Object.keys(left).length > 0 ? { ...catalog, approval: left } : rest
    return [{ path, before, after: Object.keys(after).length > 0 ? `${JSON.stringify(after, null, 2)}\n` : undefined }]
  })
}

/**
 * Adds the `language.json` of a language whose folder would be empty otherwise, so that what is generated later has it too. A
 * language that only the application defines has its own.
 */
function keptLanguages(root: string, languages: readonly string[], changes: readonly FileChange[]): FileChange[] {
  const deleted = new Set(changes.filter(({ after }) => after === undefined).map(({ path }) => path))
  return languages.flatMap(language => {
    const folder = `app/locales/${language}`
    const files = filesBelow(join(root, folder)).map(file => `${folder}/${file}`)
    const isLeft = readIn(root, `${folder}.json`) !== undefined || files.some(file => !deleted.has(file))
    const after = readIn(platformDir, `${folder}/${LANGUAGE_FILE}`)
    if (language === 'en' || isLeft || files.length === 0 || after === undefined) return []
    return [{ path: `${folder}/${LANGUAGE_FILE}`, after }]
  })
}

function missingText(root: string, { name, plural }: RemovalArgs): string {
  const tables = filesBelow(join(root, TABLES_PLACE)).map(file => file.replace(/\.ts$/, ''))
  const path = tablePath({ plural: toKebab(plural ?? pluralOf(name)) })
  const present = tables.length > 0 ? `There are: ${tables.join(', ')}. ` : ''
  return `There is no resource ${name}: ${path} is missing. ${present}Name another plural with --plural.`
}

/** The data that the migration destroys. */
function lossOf(changes: readonly FileChange[]): string[] {
  const written = changes.filter(({ path }) => path.endsWith('.sql'))
  const dropped = written.flatMap(({ after = '' }) =>
    [...after.matchAll(/DROP TABLE `(\w+)`/g)].map(([, table]) => table),
  )
  if (dropped.length === 0) return []
  const what = dropped.length === 1 ? `the table ${dropped[0]}` : `the tables ${dropped.join(', ')}`
  return [
    `${written.length} migration drops ${what}. The rows are lost when the server runs it; \`npx fw backup\` makes a copy first.`,
  ]
}

const SOURCE = /\.(vue|[cm]?[jt]sx?)$/

interface Uses {
  paths: readonly string[]
  resource: Resource
}

/** Throws when a file outside the resource uses one of its files. */
function checkUnused(
  root: string,
  { paths, resource, usedIn }: Uses & { usedIn: (path: string) => readonly string[] },
): void {
  const users = filesBelow(root, NO_SOURCES)
    .filter(path => SOURCE.test(path) && !paths.includes(path))
    .map(path => ({ path, used: usedIn(path) }))
    .filter(({ used }) => used.length > 0)
  const tables = users.flatMap(({ path }) => {
    const names = path.startsWith(`${TABLES_PLACE}/`) ? tablesIn(readIn(root, path) ?? '') : []
    return names.length > 0 ? [`${names.join(', ')} (${path})`] : []
  })
  if (tables.length > 0)
    throw new UsageFault(
      `${resource.plural} cannot be removed, because other tables refer to it: ${tables.join('; ')}. Remove their resources first, or take out their columns and what uses these, and run \`npm run db:generate\`.`,
    )
  if (users.length > 0)
    throw new UsageFault(
      `${resource.plural} cannot be removed, because other files use it:\n${users.map(({ path, used }) => `  ${path} uses ${used.join(', ')}\n`).join('')}Change these files first.`,
    )
}

const tablesIn = (text: string): string[] =>
  [...text.matchAll(/sqliteTable\(\s*['"](\w+)/g)].map(([, name = '']) => name)

/**
 * Returns the files of a resource that a source uses: by an import, the name of an action or a collection, a tag, or a text key.
 */
function usedFiles(root: string, path: string, { paths, resource }: Uses): string[] {
  if (!SOURCE.test(path)) return []
  const text = readIn(root, path) ?? ''
  const imported = importsOf(root, path, text)
  return paths.filter(file => {
    const name = basename(file).replace(/\.\w+$/, '')
    if (file === path) return false
    if (imported.includes(withoutEnding(join(root, file)))) return true
    if (/^server\/(actions|collections)\//.test(file)) return new RegExp(`(['"\`])${name}\\1`).test(text)
    if (file.startsWith('app/components/')) return new RegExp(`<((Lazy)?${name}|${toKebab(name)})\\b`).test(text)
    return file.startsWith('app/locales/') && new RegExp(`['"\`]${resource.variable}\\.`).test(text)
  })
}

const IMPORT = /\b(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g
const withoutEnding = (file: string): string => file.replace(/\.(vue|json|[cm]?[jt]s)$/, '')

/** Returns the files that a source imports, without their extensions. */
function importsOf(root: string, path: string, text: string): string[] {
  const places = Object.entries(aliases(root))
  return [...text.matchAll(IMPORT)].map(([, from = '']) => {
    const [alias, place] = places.find(([each]) => from.startsWith(`${each}/`)) ?? []
    const file = alias && place ? join(place, from.slice(alias.length)) : join(root, dirname(path), from)
    return withoutEnding(file)
  })
}
