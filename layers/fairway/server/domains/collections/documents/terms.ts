/** The vocabulary of collections and of their description. */
export const HYDRA = 'http://www.w3.org/ns/hydra/core#'

const link = (name: string) => ({ '@id': `hydra:${name}`, '@type': '@id' })
const plain = (name: string) => `hydra:${name}`

/**
 * What the keys of a collection mean. They count inside of their own type only (JSON-LD 1.1, type-scoped contexts),
 * so a field of an item may be called `first` or `view` too.
 */
export const collectionTerms = {
  Collection: scoped('Collection', {
    member: plain('member'),
    totalItems: plain('totalItems'),
    view: plain('view'),
    search: plain('search'),
  }),
  PartialCollectionView: scoped('PartialCollectionView', {
    first: link('first'),
    last: link('last'),
    previous: link('previous'),
    next: link('next'),
  }),
  IriTemplate: scoped('IriTemplate', {
    template: plain('template'),
    variableRepresentation: { '@id': 'hydra:variableRepresentation', '@type': '@vocab' },
    BasicRepresentation: plain('BasicRepresentation'),
    mapping: plain('mapping'),
  }),
  IriTemplateMapping: scoped('IriTemplateMapping', {
    variable: plain('variable'),
    property: plain('property'),
    required: plain('required'),
  }),
}

/** With prefixed keys only what is a link has to be said. */
export const prefixedTerms = {
  'hydra:first': link('first'),
  'hydra:last': link('last'),
  'hydra:previous': link('previous'),
  'hydra:next': link('next'),
  'hydra:variableRepresentation': { '@id': 'hydra:variableRepresentation', '@type': '@vocab' },
  BasicRepresentation: plain('BasicRepresentation'),
}

function scoped(name: string, context: Record<string, unknown>) {
  return { '@id': `hydra:${name}`, '@context': context }
}
