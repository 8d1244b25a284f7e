import { type JsonSchema, openApiSchema, refusals, tokenSecurity } from '#fairway/server/domains/actions'
import type { App } from '#fairway/server/kernel/app-context'
import { EXPORT_FORMATS, exportMediaTypes } from '#fairway/server/kernel/export-rows'
import { representations } from './formats/negotiate'
import { choiceParameters, fieldParameters, pageParameters } from './query/parameters'
import { type CollectionEntry, type ServedCollection, servedCollections } from './served-collection'

/** The OpenAPI paths of every collection and its items, with the schemas that they refer to. */
export function collectionPaths(app: App, entries: readonly CollectionEntry[]) {
  const served = [...servedCollections(app, entries).values()]
  return {
    paths: Object.fromEntries(served.flatMap(pathItems)),
    schemas: Object.fromEntries(served.flatMap(schemas)),
  }
}

const reference = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` })

/** The schemas of an item: as declared, and as each format writes it. */
function schemas(served: ServedCollection): [string, object][] {
  const { shortName, collection } = served
  const name = `${shortName}.item`
  const item = openApiSchema(collection.item, 'output', `#/components/schemas/${name}`)
  const formats = new Map(
    representations.map(each => [`${shortName}.${each.schemaName}`, each.describeMember(served, item)]),
  )
  // Only recursive schemas refer to it.
  return JSON.stringify(item).includes('"$ref"') ? [[name, item], ...formats] : [...formats]
}

function pathItems(served: ServedCollection): [string, object][] {
  const { collection, path } = served
  const list = { get: { ...operation(served, 'list'), parameters: parameters(served) } }
  const file = { get: exportOperation(served) }
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }
  const get = { get: { ...operation(served, 'get'), parameters: [id] } }
  return [
    [path, list],
    [`${path}/export/{format}`, file],
    ...(collection.operations.get ? [[`${path}/{id}`, get] satisfies [string, object]] : []),
  ]
}

function operation(served: ServedCollection, kind: 'list' | 'get') {
  const { shortName, collection } = served
  const content = representations.map(({ mediaType, schemaName, describeItem, describePage }) => {
    const member = reference(`${shortName}.${schemaName}`)
    return [mediaType, { schema: kind === 'get' ? describeItem(member) : describePage(served, member) }]
  })
  return {
    ...common(served, kind),
    responses: {
      200: { description: 'The page or the item.', content: Object.fromEntries(content) },
      ...(collection.public ? { 304: { description: 'Nothing has changed since the last answer.' } } : {}),
      ...refusals(400, 401, 403, 404, 406, 429, 504),
    },
  }
}

const common = ({ name, collection }: ServedCollection, kind: 'list' | 'get' | 'export') => ({
  operationId: `${name}.${kind}`,
  summary: collection.description,
  description: collection.description,
  tags: ['collections'],
  security: collection.public ? [] : tokenSecurity('mcp:read'),
})

const exportOperation = (served: ServedCollection) => ({
  ...common(served, 'export'),
  parameters: [
    { name: 'format', in: 'path', required: true, schema: { type: 'string', enum: EXPORT_FORMATS } },
    ...fieldParameters(served).map(inQuery),
  ],
  responses: {
    200: {
      description: 'All items as a file.',
      content: Object.fromEntries(
        EXPORT_FORMATS.map(format => [exportMediaTypes[format].replace(/;.*/, ''), { schema: { type: 'string' } }]),
      ),
    },
    ...refusals(400, 401, 403, 404, 429, 504),
  },
})

const parameters = (served: ServedCollection) =>
  [...pageParameters(served), ...choiceParameters(served), ...fieldParameters(served)].map(inQuery)

const inQuery = ({ name, schema }: { name: string; schema: object }) => ({
  name,
  in: 'query',
  required: false,
  schema,
})
