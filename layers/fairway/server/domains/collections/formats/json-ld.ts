import type { JsonSchema } from '#fairway/server/domains/actions'
import { CONTEXTS_PREFIX } from '#fairway/shared/paths'
import type { Page } from '../collection'
import { idOf, itemIri, type ViewLinks } from '../links'
import { choiceParameters, fieldParameters, pageParameters } from '../query/parameters'
import type { ServedCollection } from '../served-collection'
import { allOf, canOf, closed, count, extended, listOf, text } from './describe'

const LD_JSON = 'application/ld+json'

/** Hydra collections as JSON-LD. */
export const jsonLd = {
  mediaType: LD_JSON,
  contentType: `${LD_JSON}; charset=utf-8`,
  writePage,
  writeItem: (served: ServedCollection, item: unknown): string =>
    JSON.stringify({ '@context': contextPath(served.shortName), ...toMember(served, item) }),
  schemaName: 'jsonld',
  describeMember: ({ shortName }: ServedCollection, item: JsonSchema): JsonSchema =>
    extended(item, { '@id': text, '@type': { const: shortName } }, { '@context': text }),
  describeItem: (member: JsonSchema): JsonSchema => member,
  describePage,
}

/** The same bodies for clients that request plain JSON. */
export const json = {
  ...jsonLd,
  mediaType: 'application/json',
  contentType: 'application/json; charset=utf-8',
}

/** The path of the JSON-LD context of a type. */
export const contextPath = (shortName: string): string => `${CONTEXTS_PREFIX}/${shortName}`

const quoted = (text: string): string => JSON.stringify(text)

function writePage(served: ServedCollection, page: Page, links: ViewLinks): string {
  const hydra = served.config.hydraPrefix ? 'hydra:' : ''
  const { head, search } = framesOf(served, hydra)
  const total = 'totalItems' in page && page.totalItems !== undefined ? `,"${hydra}totalItems":${page.totalItems}` : ''
  const view = page.mode === 'whole' ? '' : `,"${hydra}view":${writeView(page, links, hydra)}`
  const can = page.can ? `,"can":${JSON.stringify(page.can)}` : ''
  const members = JSON.stringify(page.items.map(item => toMember(served, item)))
  return `${head}${total}${can},"${hydra}member":${members}${view}${search}}`
}

// `Object.assign` is faster here than a spread after other keys.
const toMember = (served: ServedCollection, item: unknown): object =>
  Object.assign({ '@id': itemIri(served, idOf(item)), '@type': served.shortName }, item)

const frames = new WeakMap<ServedCollection, Record<'head' | 'search', string>>()

/** The parts that are equal on every page of a collection. */
function framesOf(served: ServedCollection, hydra: string) {
  const known = frames.get(served)
  if (known) return known
  const context = quoted(contextPath(served.shortName))
  const head = `{"@context":${context},"@id":${quoted(served.iri)},"@type":"${hydra}Collection"`
  const frame = { head, search: writeSearch(served, hydra) }
  frames.set(served, frame)
  return frame
}

function describePage(served: ServedCollection, member: JsonSchema): JsonSchema {
  const hydra = served.config.hydraPrefix ? 'hydra:' : ''
  const named = (schemas: Record<string, JsonSchema>) =>
    Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [hydra + name, schema]))
  const typed = (name: string) => ({ '@type': { const: hydra + name } })
  const view = closed(
    { '@id': text, ...typed('PartialCollectionView') },
    named(allOf(['first', 'last', 'previous', 'next'], text)),
  )
  const mapping = closed(
    { ...typed('IriTemplateMapping'), ...named({ variable: text, required: { type: 'boolean' } }) },
    named({ property: text }),
  )
  const search = closed({
    ...typed('IriTemplate'),
    ...named({ template: text, variableRepresentation: text, mapping: listOf(mapping) }),
  })
  return closed(
    { '@context': text, '@id': text, ...typed('Collection'), ...named({ member: listOf(member) }), ...canOf(served) },
    named({ totalItems: count, view, search }),
  )
}

function writeView(page: Page, { self, first, last, previous, next }: ViewLinks, hydra: string): string {
  const named = (name: string, link: string | undefined) =>
    link === undefined ? '' : `,"${hydra}${name}":${quoted(link)}`
  const links =
    page.mode === 'cursor'
      ? named('next', next) + named('previous', previous)
      : named('first', first) + named('last', last) + named('previous', previous) + named('next', next)
  return `{"@id":${quoted(self)},"@type":"${hydra}PartialCollectionView"${links}}`
}

/** The template of the query parameters; empty when the client has no choices. */
function writeSearch(served: ServedCollection, hydra: string): string {
  const fields = fieldParameters(served)
  const choices = choiceParameters(served)
  if (fields.length === 0 && choices.length === 0) return ''
  const parameters = [...fields, ...pageParameters(served), ...choices]
  const mapping = parameters.map(({ name, field }) => ({
    '@type': `${hydra}IriTemplateMapping`,
    [`${hydra}variable`]: name,
    ...(field === null ? {} : { [`${hydra}property`]: field }),
    [`${hydra}required`]: false,
  }))
  const search = {
    '@type': `${hydra}IriTemplate`,
    [`${hydra}template`]: `${served.iri}{?${parameters.map(({ name }) => name).join(',')}}`,
    [`${hydra}variableRepresentation`]: 'BasicRepresentation',
    [`${hydra}mapping`]: mapping,
  }
  return `,"${hydra}search":${JSON.stringify(search)}`
}
