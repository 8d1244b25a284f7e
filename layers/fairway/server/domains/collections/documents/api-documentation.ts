import { COLLECTIONS_DOCUMENTATION_PATH, COLLECTIONS_ENTRYPOINT_PATH } from '#fairway/shared/paths'
import type { ServedCollection } from '../served-collection'
import { ENTRYPOINT, entrypointKey } from './entrypoint'
import { HYDRA } from './terms'

interface DocumentationInput {
  title: string
  iriPrefix: string
}

/** The description of all collections as a `hydra:ApiDocumentation`. */
export function apiDocumentation(
  served: ReadonlyMap<string, ServedCollection>,
  { title, iriPrefix }: DocumentationInput,
) {
  const all = [...served.values()]
  const id = iriPrefix + COLLECTIONS_DOCUMENTATION_PATH
  return {
    '@context': {
      '@vocab': `${id}#`,
      hydra: HYDRA,
      rdf: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#',
      rdfs: 'http://www.w3.org/2000/01/rdf-schema#',
      domain: { '@id': 'rdfs:domain', '@type': '@id' },
      range: { '@id': 'rdfs:range', '@type': '@id' },
      'hydra:entrypoint': { '@type': '@id' },
      'hydra:supportedClass': { '@type': '@vocab' },
      'hydra:returns': { '@type': '@id' },
    },
    '@id': id,
    '@type': 'hydra:ApiDocumentation',
    'hydra:title': title,
    'hydra:entrypoint': iriPrefix + COLLECTIONS_ENTRYPOINT_PATH,
    'hydra:supportedClass': [...all.map(itemClass), entrypointClass(all)],
  }
}

function itemClass({ shortName, collection }: ServedCollection) {
  return {
    '@id': `#${shortName}`,
    '@type': 'hydra:Class',
    'hydra:title': shortName,
    'hydra:description': collection.description,
    'hydra:supportedProperty': Object.entries(collection.item.shape).map(([field, schema]) => ({
      '@type': 'hydra:SupportedProperty',
      'hydra:property': {
        '@id': `#${shortName}/${field}`,
        '@type': 'rdf:Property',
        'rdfs:label': field,
        domain: `#${shortName}`,
      },
      'hydra:title': field,
      'hydra:required': schema._zod.optout === undefined,
      'hydra:readable': true,
      'hydra:writeable': false,
    })),
    'hydra:supportedOperation': collection.operations.get
      ? [
          {
            '@type': 'hydra:Operation',
            'hydra:method': 'GET',
            'hydra:title': `Reads a ${shortName}.`,
            'hydra:returns': `#${shortName}`,
          },
        ]
      : [],
  }
}

const entrypointClass = (all: readonly ServedCollection[]) => ({
  '@id': `#${ENTRYPOINT}`,
  '@type': 'hydra:Class',
  'hydra:title': ENTRYPOINT,
  'hydra:supportedProperty': all.map(one => ({
    '@type': 'hydra:SupportedProperty',
    'hydra:property': {
      '@id': `#${ENTRYPOINT}/${entrypointKey(one)}`,
      '@type': 'hydra:Link',
      'rdfs:label': one.name,
      domain: `#${ENTRYPOINT}`,
      range: 'hydra:Collection',
      'hydra:supportedOperation': [
        {
          '@type': 'hydra:Operation',
          'hydra:method': 'GET',
          'hydra:title': one.collection.description,
          'hydra:returns': 'hydra:Collection',
        },
      ],
    },
    'hydra:title': one.name,
    'hydra:readable': true,
    'hydra:writeable': false,
  })),
})
