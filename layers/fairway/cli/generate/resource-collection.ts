// The collection of a resource: the rows that it reads, the titles of referenced rows, its filters and its sort orders.
import { type Field, filterOf, isFile, isFilterName, namesRow, refName, titleField } from './fields'
import { fits, fitted, importOf, lines, quoted } from './layout'
import { toSnake } from './names'
import { firstDate, personOf, refsOf, targetsOf, type Resource } from './resource'

/** Fields that keep the schema of their input, because a column does not define a currency or a JSON structure. */
const asInput = ({ camel, fields }: Resource): string[] =>
  fields
    .filter(({ type }) => type === 'money' || type === 'json')
    .map(({ name }) => `${name}: ${camel}Input.shape.${name}`)

const asStored = ({ name, type }: Field): string =>
  `${name}: ${type === 'file' ? 'storedFile.nullable()' : 'z.array(storedFile)'}`

/** The item of the list: a row with its person, the titles of referenced rows, and the caller's access to it. */
function itemText(resource: Resource): string {
  const { variable, camel, isOrg } = resource
  const extension = [
    ...resource.fields.filter(namesRow).map(field => `${titleField(field)}: z.string().nullable()`),
    ...asInput(resource),
    ...resource.fields.filter(isFile).map(asStored),
    `${personOf(resource).field}: shownPersonSchema${isOrg ? '.nullable()' : ''}`,
    isOrg
      ? `can: ${camel}Policy.can`
      : `access: z.enum(['owner', 'admin', 'editor', 'viewer']).describe('What you may do with it.')`,
  ]
  const line = `  item: outputOf(${variable}, { omit: ['orgId'], extend: { ${extension.join(', ')} } }),`
  if (!line.includes('z.') && fits(line)) return line
  return `  item: outputOf(${variable}, {
    omit: ['orgId'],
${fitted(extension, { before: '    extend: ', open: '{', close: '}', after: ',' })}
  }),`
}

const teamsOf = ({ fields }: Resource): Field[] => fields.filter(({ type }) => type === 'team')

type Ref = ReturnType<typeof refsOf>[number]

/** Whether the list joins the table of the reference more than once, so that the join requires an alias. */
const isAliased = (resource: Resource, { target: { plural } }: Ref): boolean =>
  plural === resource.plural || refsOf(resource).filter(({ target }) => target.plural === plural).length > 1

const joined = (resource: Resource, ref: Ref): string =>
  isAliased(resource, ref) ? `${refName(ref.name)}Row` : ref.target.variable

function sourceText(resource: Resource): string {
  const { variable, isOrg } = resource
  const refs = refsOf(resource)
  if (!isOrg)
    return fitted([`root: ${variable}`, `columns: { access: accessOf(${variable}, callerPlaceholders) }`], {
      before: '  source: ',
      open: '{',
      close: '}',
      after: ',',
    })
  const teams = teamsOf(resource)
  if (refs.length + teams.length === 0) return `  source: ${variable},`
  const columns = [
    ...refs.map(ref => `${titleField(ref)}: ${joined(resource, ref)}.${ref.target.title}`),
    ...teams.map(team => `${titleField(team)}: teamName(${variable}.${team.name})`),
  ]
  const joins = refs.map(ref => {
    const table = joined(resource, ref)
    const on = `and(eq(${table}.id, ${variable}.${ref.name}), accessibleTo(${table}, callerPlaceholders))`
    return fitted([`table: ${table}`, `on: ${on}`, `kind: 'one'`], {
      before: '      ',
      open: '{',
      close: '}',
    }).trimStart()
  })
  return `  source: {
    root: ${variable},
${fitted(columns, { before: '    columns: ', open: '{', close: '}', after: ',' })}
${refs.length > 0 ? `${fitted(joins, { before: '    joins: ', open: '[', close: ']', after: ',' })}\n` : ''}  },`
}

function importsOf(resource: Resource): string {
  const { variable, plural, camel, isOrg } = resource
  const refs = refsOf(resource)
  const isJoining = refs.length > 0
  const hasTeam = teamsOf(resource).length > 0
  const aliased = refs.filter(ref => isAliased(resource, ref))
  const ownImports = [...(asInput(resource).length > 0 ? [`${camel}Input`] : []), ...(isOrg ? [`${camel}Policy`] : [])]
  const fw = isOrg
    ? [
        'requireOrganization',
        ...(hasTeam ? ['teamName'] : []),
        ...(isJoining ? ['accessibleTo', 'callerPlaceholders'] : []),
      ]
    : ['accessOf', 'callerPlaceholders']
  const tables = [...targetsOf(resource), { variable, plural }].toSorted((a, b) => (a.plural < b.plural ? -1 : 1))
  return lines(
    isJoining && importOf(['and', 'eq'], 'drizzle-orm'),
    aliased.length > 0 && importOf(['alias'], 'drizzle-orm/sqlite-core'),
    itemText(resource).includes('z.') && `import { z } from 'zod'`,
    importOf(['defineCollection', 'outputOf', 'shownPersonSchema', ...fw], '#fw'),
    resource.fields.some(isFile) && importOf(['storedFile'], 'nuxt-fairway/tables'),
    ...tables.map(table =>
      importOf([table.variable, ...(table.plural === plural ? ownImports : [])], `../database/${table.plural}`),
    ),
    aliased.length > 0 && '',
    ...aliased.map(
      ref => `const ${joined(resource, ref)} = alias(${ref.target.variable}, ${quoted(toSnake(refName(ref.name)))})`,
    ),
  )
}

/** Returns the file of the collection. */
export function collectionFile(resource: Resource): string {
  const { variable, plural, pascal, fields, title, isOrg, nouns } = resource
  const person = personOf(resource)
  const sorting = firstDate(resource) ?? title
  const described = isOrg
    ? `The ${nouns} of your organization, sorted by ${sorting.name}.`
    : `Your ${nouns} and those shared with you, sorted by ${sorting.name}.`
  const filters = [
    ...fields
      .filter(field => field.type !== 'json' && !isFile(field) && isFilterName(field.name))
      .map(field => `${field.name}: ${filterOf(field)}`),
    `${isOrg ? 'createdBy' : 'ownerEmail'}: 'exact'`,
  ]
  const ordered = fields
    .filter(({ type }) => !['longtext', 'json', 'ref', 'team', 'file', 'files'].includes(type))
    .map(({ name }) => quoted(name))
  const search = [
    `title: ${quoted(title.name)}`,
    `to: '/${plural}/{id}'`,
    `icon: 'i-lucide-list'`,
    `text: '${variable}.name'`,
  ]
  return `${importsOf(resource)}

export default defineCollection({
  description: ${quoted(described)},
  shortName: ${quoted(pascal)},
${isOrg ? '  guard: requireOrganization(),\n' : ''}${itemText(resource)}
${sourceText(resource)}
  people: { ${person.field}: '${person.column}' },
  scope: '${isOrg ? 'organization' : 'shared'}',
${fitted(filters, { before: '  filters: ', open: '{', close: '}', after: ',' })}
${fitted(search, { before: '  search: ', open: '{', close: '}', after: ',' })}
${fitted([...ordered, `'createdAt'`, `'updatedAt'`], { before: '  order: ', open: '[', close: ']', after: ',' })}
  defaultOrder: [{ field: '${sorting.name}', direction: 'ASC' }],
  paginationClientItemsPerPage: true,
})
`
}
