import { refsOf, type Resource } from './resource'
import { collectionFile } from './resource-collection'
import { fieldsComponent } from './resource-form'
import { itemPage } from './resource-item'
import { listPage } from './resource-list'
import { testFile } from './resource-test'
import { textFile } from './resource-texts'
import { columnOf, columnTypes, hasDefault, inputLine, MOMENT } from './fields'
import { fits, fitted, importOf, lines, quoted } from './layout'
import { toSnake, withArticle } from './names'

/** All files of a resource by their paths, but for its migration; texts in these languages. */
export const resourceFiles = (resource: Resource, languages: readonly string[]): Map<string, string> =>
  new Map([
    ...serverFiles(resource),
    [`app/components/${resource.pascal}Fields.vue`, fieldsComponent(resource)],
    [`app/pages/${resource.plural}/index.vue`, listPage(resource)],
    [`app/pages/${resource.plural}/[id].vue`, itemPage(resource)],
    ...languages.map(
      language => [`app/locales/${language}/${resource.plural}.json`, textFile(resource, language)] as const,
    ),
    [`tests/${resource.plural}.test.ts`, testFile(resource)],
  ])

// The server files of a resource: its table, its actions and its collection.

/** The server files of a resource, by their paths. */
export const serverFiles = (resource: Resource): [string, string][] => {
  const action = (verb: string) => `server/actions/${resource.plural}/${verb}-${resource.kebab}.ts`
  return [
    [tablePath(resource), tableFile(resource)],
    [action('create'), createAction(resource)],
    [action('delete'), deleteAction(resource)],
    [action('get'), getAction(resource)],
    [action('update'), updateAction(resource)],
    [`server/collections/${resource.collection}.ts`, collectionFile(resource)],
  ]
}

export const tablePath = ({ plural }: Pick<Resource, 'plural'>): string => `server/database/${plural}.ts`

function tableFile(resource: Resource): string {
  const { variable, table, camel, noun, fields, isOrg } = resource
  const hasPerson = fields.some(({ type }) => type === 'person')
  const refs = refsOf(resource)
  const helpers = [
    ...(isOrg ? ['definePolicy', 'organizationColumns'] : ['ownableColumns']),
    ...(hasPerson ? ['person', 'personSchema'] : []),
    ...(refs.length > 0 ? ['references'] : []),
  ]
  const types = ['index', 'integer', 'sqliteTable', 'text', ...columnTypes(fields), ...(isOrg ? ['uniqueIndex'] : [])]
  const indexes = isOrg
    ? [
        `index('${table}_org').on(table.orgId, table.updatedAt)`,
        `uniqueIndex('${table}_org_id').on(table.orgId, table.id)`,
        ...refs.flatMap(({ name, target }) => [
          `index('${table}_${toSnake(name)}').on(table.orgId, table.${name})`,
          `references({ orgId: table.orgId, id: table.${name} }, ${target.variable})`,
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
${refs.map(({ target }) => `${importOf([target.variable, `${target.camel}Id`], `./${target.plural}`)}\n`).join('')}
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

const policyText = ({ variable, camel, noun }: Resource): string => `
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

interface ActionParts {
  description: string
  /** What it needs of `#fw`, drizzle-orm and the table's file, beside what every action needs. */
  fw: readonly string[]
  drizzle: readonly string[]
  table: readonly string[]
  options: string
  run: string
}

function actionFile(resource: Resource, { description, fw, drizzle, table, options, run }: ActionParts): string {
  const { isOrg, variable, plural } = resource
  const guard = isOrg ? ['requireOrganization'] : []
  return lines(
    drizzle.length > 0 && importOf(drizzle, 'drizzle-orm'),
    options.includes('z.') && `import { z } from 'zod'`,
    importOf(['defineAction', ...fw, ...guard], '#fw'),
    importOf([variable, ...table], `../../database/${plural}`),
    '',
    'export default defineAction({',
    `  description: ${quoted(description)},`,
    isOrg && '  guard: requireOrganization(),',
    options,
    run,
    '})',
    '',
  )
}

const OMITTED = `{ omit: ['orgId'] }`
const outputOption = ({ variable }: Resource): string => `  output: outputOf(${variable}, ${OMITTED}),`

/** How the audit log and the home page tell of a row. */
function auditOption({ variable, title, plural }: Resource, keep: readonly string[] = [`keep: ['id']`]): string {
  const subject = [`table: ${variable}`, `title: ${variable}.${title.name}`, `path: '/${plural}/{id}'`]
  const line = `  audit: { ${[...keep, `subject: { ${subject.join(', ')} }`].join(', ')} },`
  if (fits(line)) return line
  const parts = [
    ...keep.map(part => `    ${part},`),
    fitted(subject, { before: '    subject: ', open: '{', close: '}', after: ',' }),
  ]
  return `  audit: {\n${parts.join('\n')}\n  },`
}

/** The condition that finds a row which the caller may use so; `access` is what stands behind the session. */
function found({ variable }: Resource, access = ''): string {
  const condition = `and(eq(${variable}.id, id), accessibleTo(${variable}, session${access}))`
  const line = `      .where(${condition})`
  return fits(line) ? line : `      .where(\n        ${condition},\n      )`
}

/** What is thrown where nothing was written. */
const missing = ({ variable, isOrg }: Resource, denied: string): string =>
  isOrg ? `await accessDenied(db, ${variable}, session, ${denied})` : `new AppError('not-found')`

const among = ({ isOrg, nouns }: Resource): string => (isOrg ? `the ${nouns} of your organization` : `your ${nouns}`)

function createAction(resource: Resource): string {
  const { camel, noun, fields, isOrg } = resource
  const defaults = fields.filter(hasDefault).map(({ name }) => `${name}: true`)
  const input =
    defaults.length === 0
      ? `  input: ${camel}Input,`
      : fitted(defaults, {
          before: `  input: ${camel}Input.partial(`,
          open: '{',
          close: '}',
          after: '),',
        })
  const values = [
    '...input',
    'id: newId()',
    isOrg ? '...inOrganization(session)' : '...ownedBy(session)',
    'createdAt: now()',
    'updatedAt: now()',
  ]
  return actionFile(resource, {
    description: isOrg
      ? `Creates ${withArticle(noun)} of the organization.`
      : `Creates ${withArticle(noun)} that only you can see.`,
    fw: [...(isOrg ? ['columnsFor', 'inOrganization', 'requireCreate'] : ['ownedBy']), 'newId', 'outputOf'],
    drizzle: [],
    table: [`${camel}Input`],
    options: lines(input, outputOption(resource), auditOption(resource, [])),
    run: isOrg ? createInOrganization(resource, values) : createOwn(resource, values),
  })
}

const createOwn = (
  { variable }: Resource,
  values: readonly string[],
): string => `  run: (input, { db, session, now }) =>
    db
      .insert(${variable})
${fitted(values, { before: '      .values(', open: '{', close: '}', after: ')' })}
      .returning()
      .get(),`

const createInOrganization = ({ variable }: Resource, values: readonly string[]): string =>
  `  async run(input, { db, session, now }) {
    await requireCreate(db, ${variable}, session, input)
    const [row] = await db
      .insert(${variable})
${fitted(values, { before: '      .values(', open: '{', close: '}', after: ')' })}
      .returning(columnsFor(${variable}, session))
    return row!
  },`

function getAction(resource: Resource): string {
  const { variable, camel, isOrg } = resource
  return actionFile(resource, {
    description: `Reads one of ${among(resource)}.`,
    fw: ['accessibleTo', 'AppError', ...(isOrg ? ['columnsFor'] : []), 'outputOf'],
    drizzle: ['and', 'eq'],
    table: [`${camel}Id`],
    options: lines('  readOnly: true,', `  input: z.object({ id: ${camel}Id }),`, outputOption(resource)),
    run: `  async run({ id }, { db, session }) {
    const [row] = await db
      .select(${isOrg ? `columnsFor(${variable}, session)` : ''})
      .from(${variable})
${found(resource)}
    if (!row) throw new AppError('not-found')
    return row
  },`,
  })
}

function updateAction(resource: Resource): string {
  const { variable, camel, noun, isOrg } = resource
  return actionFile(resource, {
    description: `Changes ${withArticle(noun)}; what is left out stays.`,
    fw: ['accessibleTo', ...(isOrg ? ['accessDenied', 'columnsFor'] : ['AppError']), 'outputOf'],
    drizzle: ['and', 'eq'],
    table: [`${camel}Id`, `${camel}Input`],
    options: lines(
      `  input: ${camel}Input.partial().extend({ id: ${camel}Id }),`,
      outputOption(resource),
      auditOption(resource),
    ),
    run: `  async run({ id, ...changes }, { db, session, now }) {
    const [row] = await db
      .update(${variable})
      .set({ ...changes, updatedAt: now() })
${found(resource, isOrg ? `, 'update', changes` : `, 'editor'`)}
      .returning(${isOrg ? `columnsFor(${variable}, session)` : ''})
    if (!row) throw ${missing(resource, `{ id, to: 'update', changes }`)}
    return row
  },`,
  })
}

function deleteAction(resource: Resource): string {
  const { variable, camel, isOrg } = resource
  return actionFile(resource, {
    description: `Deletes one of ${among(resource)} for good.`,
    fw: ['accessibleTo', isOrg ? 'accessDenied' : 'AppError'],
    drizzle: ['and', 'eq'],
    table: [`${camel}Id`],
    options: lines(
      '  destructive: true,',
      `  input: z.object({ id: ${camel}Id }),`,
      `  output: z.object({ id: z.string() }),`,
      auditOption(resource),
    ),
    run: `  async run({ id }, { db, session }) {
    const [row] = await db
      .delete(${variable})
${found(resource, isOrg ? `, 'delete'` : `, 'admin'`)}
      .returning({ id: ${variable}.id })
    if (!row) throw ${missing(resource, `{ id, to: 'delete' }`)}
    return row
  },`,
  })
}
