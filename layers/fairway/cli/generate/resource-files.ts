import { firstDate, isPicture, refsOf, targetsOf, type Resource } from './resource'
import { actionFiles } from './resource-actions'
import { collectionFile } from './resource-collection'
import { fieldsComponent } from './resource-form'
import { itemPage } from './resource-item'
import { listPage } from './resource-list'
import { testFile } from './resource-test'
import { questionFile, questionPath, textFile, textPath } from './resource-texts'
import { columnOf, columnTypes, inputLine, isFile, MOMENT, schemaHelpers } from './fields'
import { fits, fitted, importOf, quoted } from './layout'
import { toSnake, withArticle } from './names'

/** Returns all files of a resource by path, without its migration; with texts in these languages. */
export const resourceFiles = (resource: Resource, languages: readonly string[]): Map<string, string> =>
  new Map([
    ...serverFiles(resource),
    [`app/components/${resource.pascal}Fields.vue`, fieldsComponent(resource)],
    [`app/pages/${resource.plural}/index.vue`, listPage(resource)],
    [`app/pages/${resource.plural}/[id].vue`, itemPage(resource)],
    ...languages.flatMap(language => [
      [textPath(resource, language), textFile(resource, language)] as const,
      [questionPath(language), questionFile(resource, language)] as const,
    ]),
    [`tests/${resource.plural}.test.ts`, testFile(resource)],
  ])

// The server files of a resource: its table, its actions and its collection.

/** Returns the server files of a resource by path. */
export const serverFiles = (resource: Resource): [string, string][] => [
  [tablePath(resource), tableFile(resource)],
  ...actionFiles(resource),
  ...uploadFiles(resource),
  [`server/collections/${resource.collection}.ts`, collectionFile(resource)],
]

/** Returns the upload declaration of each file field, by path. */
const uploadFiles = ({ fields, noun }: Resource): [string, string][] =>
  fields.filter(isFile).map(field => [
    `server/uploads/${field.values[0]}.ts`,
    `import { defineUpload } from '#fw'

export default defineUpload({
  description: ${quoted(`The ${toWords(field.name)} of ${withArticle(noun)}.`)},
  accept: [${isPicture(field) ? `'image/*'` : `'application/pdf', 'image/*', 'text/plain'`}],
  maxSize: 20 * 1024 * 1024,
})
`,
  ])

const toWords = (name: string): string => toSnake(name).replaceAll('_', ' ')

export const tablePath = ({ plural }: Pick<Resource, 'plural'>): string => `server/database/${plural}.ts`

function tableFile(resource: Resource): string {
  const { variable, table, camel, noun, fields, isOrg, plural, title } = resource
  const date = firstDate(resource)
  const hasPerson = fields.some(({ type }) => type === 'person')
  const hasTeam = fields.some(({ type }) => type === 'team')
  const refs = refsOf(resource)
  const helpers = [
    ...(isOrg ? ['definePolicy', 'organizationColumns'] : ['ownableColumns']),
    ...(['file', 'files'] as const).filter(type => fields.some(field => field.type === type)),
    ...(hasPerson ? ['person'] : []),
    ...(hasTeam ? ['teamColumn'] : []),
    ...schemaHelpers(fields),
    ...(refs.length > 0 ? ['references'] : []),
  ]
  const types = ['index', 'integer', 'sqliteTable', 'text', ...columnTypes(fields), ...(isOrg ? ['uniqueIndex'] : [])]
  const indexes = isOrg
    ? [
        `index('${table}_org').on(table.orgId, table.${title.name}, table.id)`,
        ...(date ? [`index('${table}_${toSnake(date.name)}').on(table.orgId, table.${date.name}, table.id)`] : []),
        `uniqueIndex('${table}_org_id').on(table.orgId, table.id)`,
        ...refs.flatMap(({ name, target }) => [
          `index('${table}_${toSnake(name)}').on(table.orgId, table.${name})`,
          `references({ orgId: table.orgId, id: table.${name} }, ${target.plural === plural ? 'table' : target.variable})`,
        ]),
      ]
    : [
        `index('${table}_owner').on(table.ownerEmail, table.updatedAt)`,
        `index('${table}_org').on(table.orgId, table.visibility)`,
        `index('${table}_org_id').on(table.orgId, table.id)`,
      ]
  return `${importOf(types, 'drizzle-orm/sqlite-core')}
import { z } from 'zod'
${importOf(helpers, 'nuxt-fairway/tables')}
${targetsOf(resource)
  .map(target => `${importOf([target.variable, `${target.camel}Id`], `./${target.plural}`)}\n`)
  .join('')}
export const ${variable} = sqliteTable(
  ${quoted(table)},
  {
    id: text('id').primaryKey(),
    ...${isOrg ? 'organizationColumns' : 'ownableColumns'}(),
${fields.map(columnOf).join('\n')}
    createdAt: integer('created_at', { mode: 'timestamp_ms' }).notNull(),
    updatedAt: integer('updated_at', { mode: 'timestamp_ms' }).notNull(),
  },
${fitted(indexes, { before: '  table => ', open: '[', close: ']', after: ',' })}
)

${idSchema(resource)}
${fields.some(({ type }) => type === 'datetime') ? `${MOMENT}\n` : ''}
/** What people write into ${withArticle(noun)}. */
export const ${camel}Input = z.object({
${fields.map(field => inputLine(field, variable)).join('\n')}
})
${isOrg ? policyText(resource) : ''}`
}

/** Returns the policy of a table, in which every member may do everything. */
export const policyText = ({ variable, camel, noun }: Pick<Resource, 'variable' | 'camel' | 'noun'>): string => `
/** Who may do what with ${withArticle(noun)}. */
export const ${camel}Policy = definePolicy(${variable}, {
  read: 'member',
  create: 'member',
  update: 'member',
  delete: 'member',
})
`

function idSchema({ camel, noun, collection }: Resource): string {
  const about = `{ description: 'The id of the ${noun}.', collection: ${quoted(collection)} }`
  const line = `export const ${camel}Id = z.string().min(1).max(64).meta(${about})`
  return fits(line) ? line : `export const ${camel}Id = z\n  .string()\n  .min(1)\n  .max(64)\n  .meta(${about})`
}
