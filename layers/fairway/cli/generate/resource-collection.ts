// The collection of a resource: whose rows it reads, with the titles of what they refer to, its filters and its orders.
import { filterOf, titleField } from './fields'
import { fitted, importOf, lines, quoted } from './layout'
import { refsOf, type Resource } from './resource'

/** The item of an organization's row, with the titles of what it refers to. */
function orgItem(resource: Resource): string {
  const titles = refsOf(resource).map(({ name }) => `${titleField(name)}: z.string().nullable()`)
  const extension = [...titles, `can: ${resource.camel}Policy.can`]
  if (titles.length === 0)
    return `  item: outputOf(${resource.variable}, { omit: ['orgId'], extend: { ${extension.join(', ')} } }),`
  return `  item: outputOf(${resource.variable}, {
    omit: ['orgId'],
${fitted(extension, { before: '    extend: ', open: '{', close: '}', after: ',' })}
  }),`
}

function orgSource(resource: Resource): string {
  const refs = refsOf(resource)
  const { variable } = resource
  if (refs.length === 0) return `  source: ${variable},`
  const columns = refs.map(({ name, target }) => `${titleField(name)}: ${target.variable}.${target.title}`)
  const joins = refs.map(({ name, target: { variable: table } }) => {
    const on = `and(eq(${table}.id, ${variable}.${name}), accessibleTo(${table}, callerPlaceholders))`
    const parts = [`table: ${table}`, `on: ${on}`, `kind: 'one'`]
    return fitted(parts, { before: '      ', open: '{', close: '}' }).trimStart()
  })
  return `  source: {
    root: ${variable},
${fitted(columns, { before: '    columns: ', open: '{', close: '}', after: ',' })}
${fitted(joins, { before: '    joins: ', open: '[', close: ']', after: ',' })}
  },`
}

/** The file of the collection. */
export function collectionFile(resource: Resource): string {
  const { variable, plural, pascal, fields, title, isOrg, nouns } = resource
  const described = isOrg
    ? `The ${nouns} of your organization, the latest changed first.`
    : `Your ${nouns} and those shared with you, the latest changed first.`
  const filters = [
    ...fields.map(field => `${field.name}: ${filterOf(field)}`),
    `${isOrg ? 'createdBy' : 'ownerEmail'}: 'exact'`,
  ]
  const ordered = fields.filter(({ type }) => !['longtext', 'ref'].includes(type)).map(({ name }) => quoted(name))
  const search = [
    `title: ${quoted(title.name)}`,
    `to: '/${plural}/{id}'`,
    `icon: 'i-lucide-list'`,
    `text: '${variable}.name'`,
  ]
  const source = fitted([`root: ${variable}`, `columns: { access: accessOf(${variable}, callerPlaceholders) }`], {
    before: '  source: ',
    open: '{',
    close: '}',
    after: ',',
  })
  const access = `  item: outputOf(${variable}, {
    omit: ['orgId'],
    extend: { access: z.enum(['owner', 'admin', 'editor', 'viewer']).describe('What you may do with it.') },
  }),`
  const refs = refsOf(resource)
  const joining = refs.length > 0 ? ['accessibleTo', 'callerPlaceholders'] : []
  const fw = isOrg ? ['requireOrganization', ...joining] : ['accessOf', 'callerPlaceholders']
  const imports = lines(
    refs.length > 0 && importOf(['and', 'eq'], 'drizzle-orm'),
    (!isOrg || refs.length > 0) && `import { z } from 'zod'`,
    importOf(['defineCollection', 'outputOf', ...fw], '#fw'),
    ...[...refs.map(({ target }) => target), { variable, plural }]
      .toSorted((a, b) => (a.plural < b.plural ? -1 : 1))
      .map(each =>
        importOf(
          [each.variable, ...(isOrg && each.plural === plural ? [`${resource.camel}Policy`] : [])],
          `../database/${each.plural}`,
        ),
      ),
  )
  return `${imports}

export default defineCollection({
  description: ${quoted(described)},
  shortName: ${quoted(pascal)},
${isOrg ? '  guard: requireOrganization(),\n' : ''}${isOrg ? orgItem(resource) : access}
${isOrg ? orgSource(resource) : source}
  scope: '${isOrg ? 'organization' : 'shared'}',
${fitted(filters, { before: '  filters: ', open: '{', close: '}', after: ',' })}
${fitted(search, { before: '  search: ', open: '{', close: '}', after: ',' })}
${fitted([...ordered, `'createdAt'`, `'updatedAt'`], { before: '  order: ', open: '[', close: ']', after: ',' })}
  defaultOrder: [{ field: 'updatedAt', direction: 'DESC' }],
  paginationClientItemsPerPage: true,
})
`
}
