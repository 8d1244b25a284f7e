import type { ServedCollection } from '../served-collection'
import { entrypointKey, ENTRYPOINT } from './entrypoint'
import { collectionTerms, HYDRA, prefixedTerms } from './terms'
import { COLLECTIONS_DOCUMENTATION_PATH } from '#fairway/shared/paths'

/** The JSON-LD context of a type of item, or of the entrypoint; null for a type that no collection has. */
export function jsonLdContext(
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
  const found = [...served.values()].find(one => one.shortName === shortName)
  if (!found) return null
  return Object.fromEntries(Object.keys(found.collection.item.shape).map(field => [field, `${shortName}/${field}`]))
}

const entrypointTerms = (served: ReadonlyMap<string, ServedCollection>) =>
  Object.fromEntries(
    [...served.values()].map(one => [
      entrypointKey(one),
      { '@id': `${ENTRYPOINT}/${entrypointKey(one)}`, '@type': '@id' },
    ]),
  )
