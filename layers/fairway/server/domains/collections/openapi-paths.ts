import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { choiceParameters, fieldParameters, pageParameters } from './query/parameters'
import { type CollectionEntry, type ServedCollection, servedCollections } from './served-collection'

/** The paths of an OpenAPI document for every collection. */
export const collectionPaths = (app: App, entries: readonly CollectionEntry[]): Record<string, object> =>
  Object.fromEntries([...servedCollections(app, entries).values()].flatMap(pathItems))

function pathItems(served: ServedCollection): [string, object][] {
  const { collection, path } = served
  const list = { get: { ...operation(served, 'list'), parameters: parameters(served) } }
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } }
  const get = { get: { ...operation(served, 'get'), parameters: [id] } }
  return [[path, list], ...(collection.operations.get ? [[`${path}/{id}`, get] satisfies [string, object]] : [])]
}

function operation({ name, collection }: ServedCollection, kind: 'list' | 'get') {
  const problem = { $ref: '#/components/schemas/Problem' }
  const refused = (description: string) => ({
    description,
    content: { 'application/problem+json': { schema: problem } },
  })
  const item = z.toJSONSchema(collection.item, { unrepresentable: 'any' })
  const schema =
    kind === 'get'
      ? item
      : {
          type: 'object',
          required: ['member'],
          properties: { totalItems: { type: 'integer' }, member: { type: 'array', items: item } },
        }
  return {
    operationId: `${name}.${kind}`,
    summary: collection.description,
    description: collection.description,
    tags: ['collections'],
    security: collection.public ? [] : [{ session: [] }],
    responses: {
      200: { description: 'What was asked for.', content: { 'application/ld+json': { schema } } },
      ...(kind === 'list'
        ? { 400: refused('A parameter is not accepted.') }
        : { 404: refused('There is no such item.') }),
      ...(collection.public ? {} : { 401: refused('No session.') }),
      406: refused('The format is not served.'),
    },
  }
}

const parameters = (served: ServedCollection) =>
  [...pageParameters(served), ...choiceParameters(served), ...fieldParameters(served)].map(({ name, schema }) => ({
    name,
    in: 'query',
    required: false,
    schema,
  }))
