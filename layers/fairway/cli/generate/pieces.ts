// Generators of single files: an action, a collection over a table, a page, a provider.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { getTableColumns, is } from 'drizzle-orm'
import { getTableConfig, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { discoverAll } from '../../modules/registry/discover'
import { routePlaces } from '../../modules/registry/collections'
import { loadTables } from '../../modules/tables'
import { readIn } from '../project/changes'
import { type Field, isFile, isFilterName, MOMENT, parseFields, schemaHelpers, schemaOf } from './fields'
import { fitted, importOf, lines, quoted } from './layout'
import { checkName, toCamel, toKebab, toSentence } from './names'
import { type GeneratePlan, languagesOf, planFiles } from './plan'
import { KNOWN_LANGUAGES } from './resource-texts'
import { UsageFault } from '../terminal'

export interface Common {
  force: boolean
}

export const planOf = (
  root: string,
  files: ReadonlyMap<string, string>,
  { force, next, remarks = [] }: Common & { next: string[]; remarks?: string[] },
): GeneratePlan => ({ ...planFiles(root, { files, force }), remarks, next })

/** Returns the fields of an input, one per line. */
export const inputLines = (fields: readonly Field[]): string[] =>
  fields.map(field => `    ${field.name}: ${schemaOf(field)}${field.isOptional ? '.optional()' : ''},`)

/** Throws for file fields, which require a row. */
export function checkNoFiles(fields: readonly Field[]): void {
  const file = fields.find(isFile)
  if (file) throw new UsageFault(`${file.name}: files belong to rows: \`fw generate resource\` makes fields for them.`)
}

/** Plans an action that returns its input; the author replaces its work. */
export function planAction(
  root: string,
  {
    name: typedName,
    fields: typed,
    isOrg,
    force,
  }: Common & { name: string; fields: readonly string[]; isOrg: boolean },
): GeneratePlan {
  checkName('action', typedName)
  const name = toKebab(typedName)
  const path = `server/actions/${name}.ts`
  const other = discoverAll(root, 'server/actions').find(each => each.name === name && each.path !== path)
  if (other) throw new UsageFault(`There is an action ${name} already: ${other.path}.`)
  const fields = parseFields(typed)
  const ref = fields.find(({ type }) => type === 'ref')
  if (ref) throw new UsageFault(`${ref.name}: write a reference yourself: z.string().meta({ collection: '…' }).`)
  checkNoFiles(fields)
  const helpers = schemaHelpers(fields)
  const input = inputLines(fields)
  const text = lines(
    `import { z } from 'zod'`,
    importOf(['defineAction', ...(isOrg ? ['requireOrganization'] : [])], '#fw'),
    helpers.length > 0 && importOf(helpers, 'nuxt-fairway/tables'),
    '',
    fields.some(({ type }) => type === 'datetime') && `${MOMENT}\n`,
    'export default defineAction({',
    `  description: ${quoted(`${toSentence(name)}.`)},`,
    isOrg && '  guard: requireOrganization(),',
    fields.length === 0 ? '  input: z.object({}),' : `  input: z.object({\n${input.join('\n')}\n  }),`,
    fields.length === 0
      ? '  run: (_input, { session }) => ({ name: session.name }),'
      : '  run: (input, { session }) => ({ ...input, name: session.name }),',
    '})',
    '',
  )
  return planOf(root, new Map([[path, text]]), {
    force,
    next: [`say in ${path} what it does, and do it`, `try it on /tools/${name}, or: npx fw action ${name} --help`],
  })
}

/** Plans a collection over a table of the application. */
export async function planCollection(
  root: string,
  { name: typedName, table: wanted, force }: Common & { name: string; table: string },
): Promise<GeneratePlan> {
  checkName('collection', typedName)
  const name = toKebab(typedName)
  const path = `server/collections/${name}.ts`
  const other = discoverAll(root, 'server/collections').find(each => each.name === name && each.path !== path)
  if (other) throw new UsageFault(`There is a collection ${name} already: ${other.path}.`)
  if (['api', 'contexts'].includes(name) || routePlaces(root).has(name))
    throw new UsageFault(`The address /${name} is taken by a route. Name the collection ${name}-list.`)
  const page = [`app/pages/${name}.vue`, `app/pages/${name}`].find(each => existsSync(join(root, each)))
  if (page) throw new UsageFault(`/${name} is a page (${page}). Name the collection ${name}-list.`)
  const tableOf = await findTable(root, wanted)
  return planOf(root, new Map([[path, collectionText(tableOf)]]), {
    force,
    next: [`ask for it: GET /${name}, or useCollection('${name}') in a page`],
    remarks: tableOf.scope
      ? [
          `The table says nothing of whose its rows are, so everybody who is signed in reads them: see scope in ${path}.`,
        ]
      : [],
  })
}

interface FoundTable {
  variable: string
  file: string
  table: SQLiteTable
  scope?: string
  /** The policy of a table that gets `organizationColumns()`. */
  policy?: string
}

async function findTable(root: string, wanted: string): Promise<FoundTable> {
  const { files, faults } = await loadTables(root)
  if (faults[0]) throw new UsageFault(faults[0])
  const all = files.flatMap(({ path, exported }) =>
    Object.entries(exported).flatMap(([variable, table]) =>
      is(table, SQLiteTable) ? [{ variable, table, file: path.replace(/\.ts$/, '') }] : [],
    ),
  )
  const match = all.find(({ variable, table }) => variable === wanted || getTableConfig(table).name === wanted)
  const names = all.map(({ variable }) => variable).join(', ')
  if (!match)
    throw new UsageFault(
      `There is no table ${wanted} in server/database. There ${names ? `are: ${names}` : 'is none yet'}.`,
    )
  const columns = Object.keys(getTableColumns(match.table))
  return { ...match, scope: columns.includes('orgId') ? undefined : `  scope: 'everybody',` }
}

/** Columns that identify a row or its owner, which are not useful to sort by. */
const BELONGING = ['id', 'ownerEmail', 'visibility']

/** Returns the file of a collection over a table. */
export function collectionText({ variable, file, table, scope, policy }: FoundTable): string {
  const columns = Object.entries(getTableColumns(table))
  const hidden = columns.flatMap(([name, { dataType }]) =>
    name === 'orgId' || dataType === 'buffer' || dataType === 'bigint' ? [quoted(name)] : [],
  )
  const shown = columns.filter(([name]) => !hidden.includes(quoted(name)))
  const filters = shown.flatMap(([name, { dataType, enumValues, primary }]) => {
    if (primary || name === 'visibility' || !isFilterName(name) || ['json', 'custom'].includes(dataType)) return []
    if (dataType === 'date' || dataType === 'number') return [`${name}: 'range'`]
    const isChosen = dataType === 'boolean' || (enumValues?.length ?? 0) > 0 || name === 'ownerEmail'
    return [`${name}: ${isChosen ? `'exact'` : `'search'`}`]
  })
  const ordered = shown
    .filter(([name, { dataType }]) => !['json', 'custom'].includes(dataType) && !BELONGING.includes(name))
    .map(([name]) => quoted(name))
  // An adopted table has the index of its IDs only.
  const latest = policy ? undefined : ['updatedAt', 'createdAt'].find(name => shown.some(([column]) => column === name))
  const left = policy ? [...hidden, quoted('orgId')] : hidden
  const extend = policy ? `, extend: { createdBy: shownPersonSchema.nullable(), can: ${policy}.can }` : ''
  const omit = left.length > 0 ? `, { omit: [${left.join(', ')}]${extend} }` : ''
  const whose = policy ? ' of your organization' : ''
  const helpers = policy ? ['requireOrganization', 'shownPersonSchema'] : []
  return lines(
    `${importOf(['defineCollection', 'outputOf', ...helpers], '#fw')}
${importOf([variable, ...(policy ? [policy] : [])], file.replace(/^server\//, '../'))}

export default defineCollection({
  description: ${quoted(`${toSentence(variable)}${whose}${latest ? ', the latest first' : ''}.`)},`,
    policy && '  guard: requireOrganization(),',
    `  item: outputOf(${variable}${omit}),
  source: ${variable},`,
    policy && `  people: { createdBy: 'createdBy' },\n  scope: 'organization',`,
    scope,
    fitted(filters, { before: '  filters: ', open: '{', close: '}', after: ',' }),
    fitted(ordered, { before: '  order: ', open: '[', close: ']', after: ',' }),
    latest && `  defaultOrder: [{ field: '${latest}', direction: 'DESC' }],`,
    '})',
    '',
  )
}

const SEGMENT = /^([a-z0-9]+(-[a-z0-9]+)*|\[{1,2}(\.\.\.)?[a-z][A-Za-z0-9]*\]{1,2})$/

/** Plans a page with its heading, its navigation entry and its texts. */
export function planPage(root: string, { path: typedPath, force }: Common & { path: string }): GeneratePlan {
  const path = typedPath.replace(/^\/|\/$|\.vue$/g, '')
  const segments = path.split('/')
  const wrong = segments.find(segment => !SEGMENT.test(segment))
  if (wrong !== undefined)
    throw new UsageFault(
      `“${typedPath}” is no path of a page: write it as in app/pages, for example reports/yearly or notes/[id].`,
    )
  const words = segments.filter(segment => !segment.startsWith('['))
  const key = toCamel(words.join('-')) || 'start'
  const isOpenTo = segments.length === words.length
  if (existsSync(join(root, `server/collections/${path}.ts`)))
    throw new UsageFault(`/${path} is a collection (server/collections/${path}.ts). Give the page another path.`)
  const navigation = isOpenTo
    ? `definePageMeta({ navigation: { text: '${key}.name', icon: 'i-lucide-file', order: 50 } })\n\n`
    : ''
  const page = `<script setup lang="ts">
${navigation}const { t } = useI18n()
</script>

<template>
  <div>
    <PageHeader :title="t('${key}.name')" :lead="t('${key}.lead')" />
  </div>
</template>
`
  const name = toSentence(words.at(-1) ?? 'start')
  const lead = {
    en: `This page is app/pages/${path}.vue.`,
    de: `Diese Seite ist app/pages/${path}.vue.`,
    ar: `هذه الصفحة هي app/pages/${path}.vue.`,
  }
  const texts = languagesOf(root)
    .filter(language => KNOWN_LANGUAGES.includes(language))
    .map(language => {
      const text = {
        [key]: {
          name,
          lead: Object.hasOwn(lead, language) ? lead[language as keyof typeof lead] : lead.en,
        },
      }
      return [`app/locales/${language}/${toKebab(key)}.json`, `${JSON.stringify(text, null, 2)}\n`] as const
    })
  return planOf(root, new Map([[`app/pages/${path}.vue`, page], ...texts]), {
    force,
    remarks: texts
      .map(([file]) => file)
      .filter(file => !file.startsWith('app/locales/en/') && readIn(root, file) === undefined)
      .map(file => `Translate in ${file}: ${name}.`),
    next: [isOpenTo ? `open /${path}` : `write what app/pages/${path}.vue shows`],
  })
}

const HTTP = /^https?:\/\/\S+$/

interface ProviderArgs extends Common {
  name: string
  authorize?: string
  token?: string
  scopes: readonly string[]
}

/** Plans a provider whose accounts people can connect. */
export function planProvider(
  root: string,
  { name: typedName, authorize, token, scopes, force }: ProviderArgs,
): GeneratePlan {
  checkName('provider', typedName)
  const id = toKebab(typedName)
  for (const [option, address] of Object.entries({ authorize, token }))
    if (address === undefined || !HTTP.test(address))
      throw new UsageFault(`--${option} is missing, or is no address: write ${`--${option} https://…`}`)
  const endpoints = fitted([`authorization: ${quoted(authorize ?? '')}`, `token: ${quoted(token ?? '')}`], {
    before: '  endpoints: ',
    open: '{',
    close: '}',
    after: ',',
  })
  const text = `import { defineProvider } from '#fw'

export default defineProvider({
  id: ${quoted(id)},
  name: ${quoted(toSentence(id))},
${endpoints}
${fitted(scopes.map(quoted), { before: '  scopes: ', open: '[', close: ']', after: ',' })}
})
`
  return planOf(root, new Map([[`server/providers/${id}.ts`, text]]), {
    force,
    next: [
      'register <FW_BASE_URL>/callback as its redirect address there',
      `put its client into .env: FW_PROVIDER_CLIENTS='{"${id}":{"clientId":"…","clientSecret":"…"}}'`,
      'connect an account on /connections',
    ],
  })
}
