import { exampleOf, type Field, hasDefault, isFile, isPicture } from './fields'
import { fitted, importOf, quoted } from './layout'
import { toSentence, withArticle } from './names'
import { personOf, refsOf, type Resource } from './resource'

// Names that the generated test declares itself.
const USED = new Set(
  'app before byTitle changes count empty eve expect form id it item items maria notFound other row rows run table testApp ticket tom url'.split(
    ' ',
  ),
)

/** The name of the test's row of a resource. */
const rowOf = ({ camel }: Pick<Resource, 'camel'>): string => (USED.has(camel) ? `${camel}Row` : camel)

const required = (fields: readonly Field[]): Field[] => fields.filter(field => !hasDefault(field))

/** Returns the required fields of a new row with example values, as code. */
const neededOf = (fields: readonly Field[]): string[] =>
  required(fields).map(field => `${field.name}: ${field.target ? `${rowOf(field.target)}.id` : exampleOf(field)}`)

/** Returns the test of a resource: who may read, change and delete its rows, in the real application. */
export function testFile(resource: Resource): string {
  const { fields, noun, camel, isOrg, title } = resource
  const row = rowOf(resource)
  return `import { expect, it } from 'vitest'
import { testApp } from 'nuxt-fairway/vitest'
${isOrg ? `${importOf([resource.variable === camel ? `${camel} as table` : resource.variable], `../server/database/${resource.plural}`)}\n` : ''}
const app = await testApp()
const maria = await app.person({ name: 'Maria', organization: 'Acme' })
const tom = await app.person({ name: 'Tom', organization: 'Acme' })
const eve = await app.person({ name: 'Eve', organization: 'Other' })
${referred(fields)}${fitted(neededOf(fields), { before: `const ${row} = `, open: '{', close: '}' })}
const notFound = { code: 'not-found' }

${isOrg ? sharedTests(resource) : ownTests(resource)}
${resource.hasImport ? `\n${importTest(resource)}\n` : ''}${fileTest(resource)}
it('refuses ${withArticle(noun)} without ${withArticle(toSentence(title.name).toLowerCase())}', async () => {
  const empty = { ...${row}, ${title.name}: ' ' }
  await expect(app.as(maria).run('create-${resource.kebab}', empty)).rejects.toMatchObject({ code: 'invalid-input' })
})
`
}

/** A PNG picture of one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAfbLI3wAAAABJRU5ErkJggg=='

/** The test of the first file field: who may download its files. */
function fileTest(resource: Resource): string {
  const { fields, noun, kebab, collection } = resource
  const [field] = fields.filter(isFile)
  if (!field) return ''
  const [fileName, body] = isPicture(field)
    ? ['a.png', `Buffer.from(\n    '${PIXEL}',\n    'base64',\n  )`]
    : ['a.txt', `'A text.'`]
  const { name, type, values } = field
  const [input, stored] = type === 'file' ? ['ticket', `?.${name}`] : ['[ticket]', `?.${name}[0]`]
  return `
it('sends the ${name} of ${withArticle(noun)} to those who may read it', async () => {
${isPicture(field) ? `  const body = ${body}\n` : ''}  const form = { method: 'POST', headers: { 'x-file-name': '${fileName}' }, body${isPicture(field) ? '' : `: ${body}`} }
  const { ticket } = await (await app.as(maria).fetch('/_fw/files/${values[0]}', form)).json()
  const { id } = await app.as(maria).run('create-${kebab}', { ...${rowOf(resource)}, ${name}: ${input} })
  const { items } = await app.as(maria).list('${collection}')
  const url = items.find(item => item.id === id)${stored}?.url ?? ''
  ${isPicture(field) ? `expect((await app.as(maria).fetch(url)).headers.get('content-type')).toBe('image/png')` : `expect(await (await app.as(maria).fetch(url)).text()).toBe('A text.')`}
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

const personShown = (resource: Resource): string =>
  `  expect(items[0]?.${personOf(resource).field}).toMatchObject({ name: 'Maria', email: maria.email })`

const sharedTests = (resource: Resource): string => {
  const { noun, nouns, kebab, collection, camel, variable } = resource
  return `it('has the policy that its table declares', () =>
  app.expectPolicy(${variable === camel ? 'table' : variable}).toBe({ member: ['read', 'create', 'update', 'delete'], outsider: [] }))

it('lets everyone in the organization read, change and delete ${withArticle(noun)}', async () => {
  const { id } = await app.as(maria).run('create-${kebab}', ${rowOf(resource)})
${changed(resource)}
  await app.as(tom).run('update-${kebab}', { id, ...changes })
  const { items } = await app.as(maria).list('${collection}')
  expect(items).toMatchObject([{ id, ...changes, createdBy: maria.email }])
${personShown(resource)}
  expect(await app.as(tom).run('delete-${kebab}', { id })).toEqual({ id })
})

it('shows other organizations no ${nouns}', async () => {
  const { id } = await app.as(maria).run('create-${kebab}', ${rowOf(resource)})
  await expect(app.as(eve).run('get-${kebab}', { id })).rejects.toMatchObject(notFound)
  await expect(app.as(eve).run('update-${kebab}', { id })).rejects.toMatchObject(notFound)
  expect((await app.as(eve).list('${collection}')).items).toEqual([])
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
