// The actions of a resource: create, get, update, delete, and the import of many rows.
import { hasDefault } from './fields'
import { fits, fitted, importOf, lines, quoted } from './layout'
import { withArticle } from './names'
import { refsOf, targetsOf, type Resource } from './resource'

/** Returns the actions of a resource by path. */
export const actionFiles = (resource: Resource): [string, string][] => {
  const action = (verb: string) => `server/actions/${resource.plural}/${verb}-${resource.kebab}.ts`
  return [
    [action('create'), createAction(resource)],
    [action('delete'), deleteAction(resource)],
    [action('get'), getAction(resource)],
    [action('update'), updateAction(resource)],
    ...(resource.hasImport ? [[importPath(resource), importAction(resource)] satisfies [string, string]] : []),
  ]
}

export const importPath = ({ plural }: Pick<Resource, 'plural'>): string =>
  `server/actions/${plural}/import-${plural}.ts`

interface ActionParts {
  description: string
  /** Imports from `#fw`, drizzle-orm and the table's file, in addition to those of every action. */
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

/** The description of a row in the audit log and on the home page. */
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

/** The call that takes this one back, for the audit log. */
function undoOption(done: string, call: string): string {
  const line = `  undo: ${done} => ${call.startsWith('{') ? `(${call})` : call},`
  if (fits(line)) return line
  return `  undo: ${done} =>\n    ${call},`
}

/** Returns the condition for a row that the caller may access; `access` is the code after the session argument. */
function found({ variable }: Resource, access = ''): string {
  const condition = `and(eq(${variable}.id, id), accessibleTo(${variable}, session${access}))`
  const line = `      .where(${condition})`
  return fits(line) ? line : `      .where(\n        ${condition},\n      )`
}

/** The error when no row was written. */
const missing = ({ variable, isOrg }: Resource, denied: string): string =>
  isOrg ? `await accessDenied(db, ${variable}, session, ${denied})` : `new AppError('not-found')`

const among = ({ isOrg, nouns }: Resource): string => (isOrg ? `the ${nouns} of your organization` : `your ${nouns}`)

/** The input of a new row; fields with a default are optional. */
function newRowInput({ camel, fields }: Resource, at: string): string {
  const defaults = fields.filter(hasDefault).map(({ name }) => `${name}: true`)
  if (defaults.length === 0) return `${at}input: ${camel}Input,`
  return fitted(defaults, { before: `${at}input: ${camel}Input.partial(`, open: '{', close: '}', after: '),' })
}

const newRowValues = ({ isOrg }: Resource): string[] => [
  '...input',
  'id: newId()',
  isOrg ? '...inOrganization(session)' : '...ownedBy(session)',
  'createdAt: now()',
  'updatedAt: now()',
]

function createAction(resource: Resource): string {
  const { camel, noun, isOrg } = resource
  const values = newRowValues(resource)
  return actionFile(resource, {
    description: isOrg
      ? `Creates ${withArticle(noun)} of the organization.`
      : `Creates ${withArticle(noun)} that only you can see.`,
    fw: [...(isOrg ? ['columnsFor', 'inOrganization', 'requireCreate'] : ['ownedBy']), 'newId', 'outputOf'],
    drizzle: [],
    table: [`${camel}Input`],
    options: lines(
      newRowInput(resource, '  '),
      outputOption(resource),
      auditOption(resource, []),
      undoOption(`({ result })`, `{ action: 'delete-${resource.kebab}', input: { id: result.id } }`),
    ),
    run: isOrg ? createInOrganization(resource, values) : createOwn(resource, values),
  })
}

function importAction(resource: Resource): string {
  const { variable, camel, nouns, isOrg, title, plural } = resource
  const refs = refsOf(resource)
  const subject = [`table: ${variable}`, `title: ${variable}.${title.name}`, `id: 'ids'`, `path: '/${plural}/{id}'`]
  const file = actionFile(resource, {
    description: `Creates many ${nouns} at once, or none where one of them is not valid.`,
    fw: ['importInput', 'importOutput', 'importRows', isOrg ? 'inOrganization' : 'ownedBy', 'newId'],
    drizzle: [],
    table: [`${camel}Input`],
    options: lines(
      '  input: importInput,',
      '  output: importOutput,',
      fitted([fitted(subject, { before: 'subject: ', open: '{', close: '}' })], {
        before: '  audit: ',
        open: '{',
        close: '}',
        after: ',',
      }),
      '  maxBodyBytes: 8 * 1024 * 1024,',
      '  timeout: 60,',
    ),
    run: lines(
      '  run: ({ rows, dryRun }, context) => {',
      '    const { session, now } = context',
      `    return importRows(${variable}, context, {`,
      '      rows,',
      '      dryRun,',
      newRowInput(resource, '      '),
      refs.length > 0 &&
        fitted(
          refs.map(
            ({ name, target }) => `${name}: { table: ${target.variable}, title: ${target.variable}.${target.title} }`,
          ),
          { before: '      refs: ', open: '{', close: '}', after: ',' },
        ),
      fitted(newRowValues(resource), { before: '      values: input => (', open: '{', close: '}', after: '),' }),
      '    })',
      '  },',
    ),
  })
  const imports = targetsOf(resource)
    .map(target => `${importOf([target.variable], `../../database/${target.plural}`)}\n`)
    .join('')
  const ownImport = `${importOf([variable, `${camel}Input`], `../../database/${plural}`)}\n`
  return file.replace(ownImport, imports + ownImport)
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
    fw: ['accessibleTo', ...(isOrg ? ['accessDenied', 'columnsFor'] : ['AppError']), 'formerValues', 'outputOf'],
    drizzle: ['and', 'eq'],
    table: [`${camel}Id`, `${camel}Input`],
    options: lines(
      `  input: ${camel}Input.partial().extend({ id: ${camel}Id }),`,
      outputOption(resource),
      auditOption(resource),
      undoOption(
        '({ input, before: [row] })',
        `row && { action: 'update-${resource.kebab}', input: formerValues(input, row) }`,
      ),
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
      undoOption(
        '({ before: [row] })',
        `row && { action: 'create-${resource.kebab}', input: row, ids: [String(row.id)] }`,
      ),
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
