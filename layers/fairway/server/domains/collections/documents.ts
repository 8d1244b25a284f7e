// Documents that describe the collections to programs, in JSON-LD with the Hydra vocabulary.
import { type H3Event, setResponseHeaders } from 'h3'
import { type App, getApp } from '#fairway/server/kernel/app-context'
import { type JsonSchema, openApiSchema } from '#fairway/server/domains/actions'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { requestPath } from '#fairway/server/kernel/http/request-info'
import { COLLECTIONS_DOCUMENTATION_PATH, COLLECTIONS_ENTRYPOINT_PATH, CONTEXTS_PREFIX } from '#fairway/shared/paths'
import { contextPath } from './formats/json-ld'
import { linkHeader } from './links'
import {
  type CollectionEntry,
  documentationUrl,
  iriPrefix,
  type ServedCollection,
  servedCollections,
} from './served-collection'

/** Answers with a document about the collections: a context, the description of all of them, or the entrypoint. */
export function answerDocumentRequest(event: H3Event, entries: readonly CollectionEntry[]): string {
  const app = getApp(event)
  if (event.method !== 'GET' && event.method !== 'HEAD')
    throw new AppError('method-not-allowed', { headers: { allow: 'GET, HEAD' } })
  const document = documentAt(app, requestPath(event), servedCollections(app, entries))
  if (!document) throw new AppError('not-found')
  setResponseHeaders(event, {
    'content-type': 'application/ld+json; charset=utf-8',
    'cache-control': 'public, max-age=300',
    'access-control-allow-origin': '*',
    'access-control-expose-headers': 'link',
    link: linkHeader({}, documentationUrl(app.config)),
  })
  return JSON.stringify(document)
}

function documentAt({ config }: App, path: string, served: ReadonlyMap<string, ServedCollection>): object | null {
  const { baseUrl, name, collections } = config
  if (path === COLLECTIONS_ENTRYPOINT_PATH) return entrypoint(served, iriPrefix(config))
  if (path === COLLECTIONS_DOCUMENTATION_PATH) return apiDocumentation(served, name, baseUrl)
  const shortName = path.slice(CONTEXTS_PREFIX.length + 1)
  return jsonLdContext(shortName, served, { baseUrl, hydraPrefix: collections.hydraPrefix })
}

/** The type of the document that clients read first. */
const ENTRYPOINT = 'Entrypoint'

/** The key of a collection in the entrypoint: its name in camel case. */
const entrypointKey = ({ name }: ServedCollection): string =>
  name.replaceAll(/-([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase())

/**
 * The address of every collection. The document names the root, which leads here. Clients derive the name of a collection from
 * the part of its address that follows the entrypoint (API Platform).
 */
const entrypoint = (served: ReadonlyMap<string, ServedCollection>, prefix: string) => ({
  '@context': contextPath(ENTRYPOINT),
  '@id': `${prefix}/`,
  '@type': ENTRYPOINT,
  ...Object.fromEntries([...served.values()].map(one => [entrypointKey(one), one.iri])),
})

/** The JSON-LD context of an item type or the entrypoint; null for a type that no collection has. */
function jsonLdContext(
  shortName: string,
  served: ReadonlyMap<string, ServedCollection>,
  { baseUrl, hydraPrefix }: { baseUrl: string; hydraPrefix: boolean },
): Record<string, unknown> | null {
  const terms = shortName === ENTRYPOINT ? entrypointTerms(served) : itemTerms(shortName, served)
  if (!terms) return null
  return {
    '@context': {
      '@version': 1.1,
      '@vocab': `${baseUrl}${COLLECTIONS_DOCUMENTATION_PATH}#`,
      hydra: HYDRA,
      ...terms,
      ...(hydraPrefix ? prefixedTerms : collectionTerms),
    },
  }
}

function itemTerms(shortName: string, served: ReadonlyMap<string, ServedCollection>) {
  const collection = [...served.values()].find(one => one.shortName === shortName)
  if (!collection) return null
  return Object.fromEntries(
    Object.keys(collection.collection.item.shape).map(field => [field, `${shortName}/${field}`]),
  )
}

const entrypointTerms = (served: ReadonlyMap<string, ServedCollection>) =>
  Object.fromEntries(
    [...served.values()].map(one => [
      entrypointKey(one),
      { '@id': `${ENTRYPOINT}/${entrypointKey(one)}`, '@type': '@id' },
    ]),
  )

/** The Hydra vocabulary, which describes collections. */
const HYDRA = 'http://www.w3.org/ns/hydra/core#'

/** Terms of that vocabulary under their names: as plain values, or as links. */
const plain = (...names: string[]) => Object.fromEntries(names.map(name => [name, `hydra:${name}`]))
const links = (names: string[], prefix = '') =>
  Object.fromEntries(names.map(name => [prefix + name, { '@id': `hydra:${name}`, '@type': '@id' }]))
const representation = { '@id': 'hydra:variableRepresentation', '@type': '@vocab' }
const VIEW = ['first', 'last', 'previous', 'next']

/**
 * The meaning of a collection's keys. They apply only inside of their type (JSON-LD 1.1, type-scoped contexts), so a field of an
 * item may also be called `first` or `view`.
 */
const collectionTerms = {
  Collection: scoped('Collection', plain('member', 'totalItems', 'view', 'search')),
  PartialCollectionView: scoped('PartialCollectionView', links(VIEW)),
  IriTemplate: scoped('IriTemplate', {
    ...plain('template'),
    variableRepresentation: representation,
    ...plain('BasicRepresentation', 'mapping'),
  }),
  IriTemplateMapping: scoped('IriTemplateMapping', plain('variable', 'property', 'required')),
}

/** With prefixed keys, only links need a definition. */
const prefixedTerms = {
  ...links(VIEW, 'hydra:'),
  'hydra:variableRepresentation': representation,
  ...plain('BasicRepresentation'),
}

function scoped(name: string, context: Record<string, unknown>) {
  return { '@id': `hydra:${name}`, '@context': context }
}

/** The description of all collections as a `hydra:ApiDocumentation`. */
function apiDocumentation(served: ReadonlyMap<string, ServedCollection>, title: string, baseUrl: string) {
  const all = [...served.values()]
  const id = documentationUrl({ baseUrl })
  return {
    '@context': {
      '@vocab': `${id}#`,
      hydra: HYDRA,
      rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
      rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
      owl: 'http://www.w3.org/2002/07/owl#',
      xsd: 'http://www.w3.org/2001/XMLSchema#',
      domain: { '@id': 'rdfs:domain', '@type': '@id' },
      range: { '@id': 'rdfs:range', '@type': '@id' },
      'hydra:entrypoint': { '@type': '@id' },
      'hydra:supportedClass': { '@type': '@vocab' },
      'hydra:returns': { '@type': '@id' },
    },
    '@id': id,
    '@type': 'hydra:ApiDocumentation',
    'hydra:title': title,
    'hydra:entrypoint': `${baseUrl}/`,
    'hydra:supportedClass': [...all.map(itemClass), entrypointClass(all)],
  }
}

const supportedProperty = (title: string, property: object, isRequired?: boolean) => ({
  '@type': 'hydra:SupportedProperty',
  'hydra:property': property,
  'hydra:title': title,
  ...(isRequired === undefined ? {} : { 'hydra:required': isRequired }),
  'hydra:readable': true,
  'hydra:writeable': false,
})

const getOperation = (title: string, returns: string) => ({
  '@type': 'hydra:Operation',
  'hydra:method': 'GET',
  'hydra:title': title,
  'hydra:returns': returns,
})

function itemClass({ shortName, collection }: ServedCollection) {
  const { properties = {} } = openApiSchema(collection.item, 'output', '#')
  const propertyOf = (field: string) => ({
    '@id': `#${shortName}/${field}`,
    '@type': 'rdf:Property',
    'rdfs:label': field,
    domain: `#${shortName}`,
    range: rangeOf(properties[field]),
  })
  return {
    '@id': `#${shortName}`,
    '@type': 'hydra:Class',
    'hydra:title': shortName,
    'hydra:description': collection.description,
    'hydra:supportedProperty': Object.entries(collection.item.shape).map(([field, schema]) =>
      supportedProperty(field, propertyOf(field), schema._zod.optout === undefined),
    ),
    'hydra:supportedOperation': collection.operations.get
      ? [getOperation(`Reads a ${shortName}.`, `#${shortName}`)]
      : [],
  }
}

const TYPES = new Map([
  ['boolean', 'xsd:boolean'],
  ['integer', 'xsd:integer'],
  ['number', 'xsd:double'],
  ['string', 'xsd:string'],
])
const TEXT_TYPES = new Map([
  ['date-time', 'xsd:dateTime'],
  ['date', 'xsd:date'],
  ['time', 'xsd:time'],
  ['duration', 'xsd:duration'],
  ['uri', 'xsd:anyURI'],
])

/** The datatype of a field's values (XML Schema 1.1 Part 2 §3); undefined for lists, objects and fields with several types. */
function rangeOf(schema: JsonSchema['items']): string | undefined {
  if (typeof schema !== 'object' || Array.isArray(schema)) return undefined
  const [only, ...more] = [schema.anyOf ?? schema].flat().filter(({ type }) => type !== 'null')
  if (!only || more.length > 0) return undefined
  const [type, ...others] = [only.type ?? []].flat().filter(each => each !== 'null')
  if (type === undefined || others.length > 0) return undefined
  return (type === 'string' ? TEXT_TYPES.get(String(only.format)) : undefined) ?? TYPES.get(type)
}

const entrypointClass = (all: readonly ServedCollection[]) => ({
  '@id': `#${ENTRYPOINT}`,
  '@type': 'hydra:Class',
  'hydra:title': ENTRYPOINT,
  'hydra:supportedProperty': all.map(one => supportedProperty(one.name, entrypointProperty(one))),
})

const entrypointProperty = (one: ServedCollection) => ({
  '@id': `#${ENTRYPOINT}/${entrypointKey(one)}`,
  '@type': 'hydra:Link',
  'rdfs:label': one.name,
  domain: `#${ENTRYPOINT}`,
  range: [
    { '@id': 'hydra:Collection' },
    {
      'owl:equivalentClass': {
        'owl:onProperty': { '@id': 'hydra:member' },
        'owl:allValuesFrom': { '@id': `#${one.shortName}` },
      },
    },
  ],
  'hydra:supportedOperation': [getOperation(one.collection.description, 'hydra:Collection')],
})
