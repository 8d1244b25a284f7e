import { type Field, hasDefault, isFile } from './fields'
import { fitted, importOf, quoted } from './layout'
import { toSentence, toSnake, withArticle } from './names'
import { isPicture, personOf, refsOf, type Resource } from './resource'

// Names that the generated test declares itself.
const USED = new Set(
  'app as before body byTitle changes count empty eve expect form id it item items maria may notFound other person row rows run shown table testApp ticket tom url'.split(
    ' ',
  ),
)

/** The name of the test's row of a resource. */
const rowOf = ({ camel }: Pick<Resource, 'camel'>): string => (USED.has(camel) ? `${camel}Row` : camel)

const required = (fields: readonly Field[]): Field[] => fields.filter(field => !hasDefault(field))

const EXAMPLES: Partial<Record<Field['type'], string>> = {
  email: `'info@example.test'`,
  url: `'https://example.test/about'`,
  integer: '3',
  number: '3',
  money: '1250',
  json: `{ size: 'large' }`,
  boolean: 'true',
  date: `'2031-05-20'`,
  datetime: `'2031-05-20T09:30:00.000Z'`,
  person: 'maria.email',
}

/** Returns a valid example value of a field that is no reference, as code. */
function exampleOf({ name, type, values }: Field): string {
  if (type === 'enum') return quoted(values.at(-1) ?? '')
  return EXAMPLES[type] ?? quoted(`A ${toSnake(name).replaceAll('_', ' ')}`)
}

/** Returns the required fields of a new row with example values, as code. */
const neededOf = (fields: readonly Field[]): string[] =>
  required(fields).map(field => `${field.name}: ${field.target ? `${rowOf(field.target)}.id` : exampleOf(field)}`)

/** Returns the test of a resource: who may read, change and delete its rows, in the real application. */
export function testFile(resource: Resource): string {
  const { fields, noun, isOrg, title } = resource
  const row = rowOf(resource)
  const tables = isOrg ? tablesOf(resource) : []
  return `import { expect, it } from 'vitest'
import { testApp } from 'nuxt-fairway/vitest'
${tables.map(({ name, alias, plural }) => `${importOf([name === alias ? name : `${name} as ${alias}`], `../server/database/${plural}`)}\n`).join('')}
const app = await testApp()
${fitted([`name: 'Maria'`, `organization: 'Acme'`, ...(isOrg ? [`creates: [${tables.map(({ alias }) => alias).join(', ')}]`] : [])], { before: 'const maria = await app.person(', open: '{', close: '}', after: ')' })}
const tom = await app.person({ name: 'Tom', organization: 'Acme' })
const eve = await app.person({ name: 'Eve', organization: 'Other' })
${referred(fields)}${fitted(neededOf(fields), { before: `const ${row} = `, open: '{', close: '}' })}
${isOrg ? '' : `const notFound = { code: 'not-found' }\n`}
${isOrg ? sharedTests(resource) : ownTests(resource)}
${resource.hasImport ? `\n${importTest(resource)}\n` : ''}${fileTest(resource)}
it('refuses ${withArticle(noun)} without ${withArticle(toSentence(title.name).toLowerCase())}', async () => {
  const empty = { ...${row}, ${title.name}: ' ' }
  await expect(app.as(maria).run('create-${resource.kebab}', empty)).rejects.toMatchObject({ code: 'invalid-input' })
})
`
}

/** The code that sends a file, and the code that expects it at its address. */
const TEXT = [
  `  const form = { method: 'POST', headers: { 'x-file-name': 'a.txt' }, body: 'A text.' }`,
  `  expect(await (await app.as(maria).fetch(url)).text()).toBe('A text.')`,
]
const PICTURE = [
  `  const body = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAfbLI3wAAAABJRU5ErkJggg==',
    'base64',
  )
  const form = { method: 'POST', headers: { 'x-file-name': 'a.png' }, body }`,
  `  expect((await app.as(maria).fetch(url)).headers.get('content-type')).toBe('image/png')`,
]

/** The test of the first file field: who may download its files. */
function fileTest(resource: Resource): string {
  const { fields, noun, kebab, collection } = resource
  const [field] = fields.filter(isFile)
  if (!field) return ''
  const { name, type, values } = field
  const [sent, received] = isPicture(field) ? PICTURE : TEXT
  const [input, stored] = type === 'file' ? ['ticket', `?.${name}`] : ['[ticket]', `?.${name}[0]`]
  return `
it('sends the ${name} of ${withArticle(noun)} to those who may read it', async () => {
${sent}
  const { ticket } = await (await app.as(maria).fetch('/_fw/files/${values[0]}', form)).json()
  const { id } = await app.as(maria).run('create-${kebab}', { ...${rowOf(resource)}, ${name}: ${input} })
  const { items } = await app.as(maria).list('${collection}')
  const url = items.find(item => item.id === id)${stored}?.url ?? ''
${received}
  expect((await app.as(eve).fetch(url)).status).toBe(404)
})
`
}

/** Returns the rows that a new row must refer to, each once, after its own targets. */
function referred(fields: readonly Field[], alreadyMade = new Set<string>()): string {
  return refsOf({ fields: required(fields) })
    .map(({ target }) => {
      if (alreadyMade.has(target.plural)) return ''
      alreadyMade.add(target.plural)
      const before = referred(target.fields, alreadyMade)
      const line = fitted(neededOf(target.fields), {
        before: `const ${rowOf(target)} = await app.as(maria).run('create-${target.kebab}', `,
        open: '{',
        close: '}',
        after: ')',
      })
      return `${before}${line}\n`
    })
    .join('')
}

const changed = ({ title }: Resource): string =>
  `  const changes = { ${title.name}: ${quoted(`Another ${toSentence(title.name).toLowerCase()}`)} }`

function importTest(resource: Resource): string {
  const { nouns, plural, collection, title, fields } = resource
  const row = rowOf(resource)
  const titles = refsOf({ fields: required(fields) }).map(
    ({ name, target }) => `${name}: ${rowOf(target)}.${target.title}`,
  )
  const [byTitle, second] =
    titles.length > 0
      ? [`${fitted([`...${row}`, ...titles], { before: '  const byTitle = ', open: '{', close: '}' })}\n`, 'byTitle']
      : ['', row]
  return `it('imports ${nouns}: all of them, or none', async () => {
  const run = (rows: Record<string, unknown>[]) => app.as(maria).run('import-${plural}', { rows })
  const count = async () => (await app.as(maria).list('${collection}')).totalItems ?? 0
  const before = await count()
  await expect(run([${row}, { ...${row}, ${title.name}: '' }])).rejects.toMatchObject({
    errors: [expect.objectContaining({ path: 'rows.1.${title.name}' })],
  })
  expect(await count()).toBe(before)
${byTitle}  expect(await run([${row}, ${second}])).toMatchObject({ rows: 2 })
  expect(await count()).toBe(before + 2)
})`
}

/** The tables that the test needs rows of: the resource, and what a new row refers to. */
function tablesOf(resource: Resource): { name: string; alias: string; plural: string }[] {
  const needed = new Map<string, Pick<Resource, 'variable' | 'camel' | 'plural'>>()
  const add = (each: Pick<Resource, 'variable' | 'camel' | 'plural' | 'fields'>) => {
    if (needed.has(each.plural)) return
    needed.set(each.plural, each)
    for (const { target } of refsOf({ fields: required(each.fields) })) add(target)
  }
  add(resource)
  return [...needed.values()]
    .map(({ variable, camel, plural }) => ({
      name: variable,
      alias: variable === camel || USED.has(variable) ? `${variable}Table` : variable,
      plural,
    }))
    .toSorted((a, b) => (a.plural < b.plural ? -1 : 1))
}

const personShown = (resource: Resource): string =>
  `  expect(items[0]?.${personOf(resource).field}).toMatchObject({ name: 'Maria', email: maria.email })`

const sharedTests = (resource: Resource): string => {
  const { noun, kebab, collection, title, plural } = resource
  const row = rowOf(resource)
  const table = tablesOf(resource).find(each => each.plural === plural)?.alias
  return `it.each([
  ['its creator', maria],
  ['another member', tom],
  ['another organization', eve],
])('lets %s do with ${withArticle(noun)} what the policy of its table says', async (_, person) => {
  const { id } = await app.as(maria).run('create-${kebab}', ${row})
${changed(resource)}
  const as = app.as(person)
  const may = await app.expectPolicy(${table}).toDecide(person, id, {
    read: () => as.run('get-${kebab}', { id }),
    update: () => as.run('update-${kebab}', { id, ...changes }),
  })
  const { items } = await as.list('${collection}')
  const shown = { ${title.name}: may.includes('update') ? changes.${title.name} : ${row}.${title.name}, createdBy: maria.email }
  expect(items.filter(item => item.id === id)).toMatchObject(may.includes('read') ? [shown] : [])
  await app.expectPolicy(${table}).toDecide(person, id, { delete: () => as.run('delete-${kebab}', { id }) })
})`
}

const ownTests = (resource: Resource): string => {
  const { noun, nouns, kebab, collection } = resource
  return `it('lets a person read, change and delete ${withArticle(noun)} of their own', async () => {
  const { id } = await app.as(maria).run('create-${kebab}', ${rowOf(resource)})
${changed(resource)}
  await app.as(maria).run('update-${kebab}', { id, ...changes })
  const { items } = await app.as(maria).list('${collection}')
  expect(items).toMatchObject([{ id, ...changes, ownerEmail: maria.email, access: 'owner' }])
${personShown(resource)}
  expect(await app.as(maria).run('delete-${kebab}', { id })).toEqual({ id })
})

it('shows nobody the ${nouns} of somebody else', async () => {
  const { id } = await app.as(maria).run('create-${kebab}', ${rowOf(resource)})
  for (const other of [tom, eve]) {
    await expect(app.as(other).run('get-${kebab}', { id })).rejects.toMatchObject(notFound)
    await expect(app.as(other).run('update-${kebab}', { id })).rejects.toMatchObject(notFound)
    expect((await app.as(other).list('${collection}')).items).toEqual([])
  }
})`
}
