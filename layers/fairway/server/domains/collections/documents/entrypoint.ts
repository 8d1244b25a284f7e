import type { ServedCollection } from '../served-collection'
import { COLLECTIONS_ENTRYPOINT_PATH } from '#fairway/shared/paths'
import { contextPath } from '../formats/json-ld'

/** The type of the document that a client begins with. */
export const ENTRYPOINT = 'Entrypoint'

/** The key of a collection in the entrypoint: its name in camel case. */
export const entrypointKey = ({ name }: ServedCollection): string =>
  name.replaceAll(/-([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase())

/** The address of every collection. */
export const entrypoint = (served: ReadonlyMap<string, ServedCollection>, iriPrefix: string) => ({
  '@context': contextPath(ENTRYPOINT),
  '@id': iriPrefix + COLLECTIONS_ENTRYPOINT_PATH,
  '@type': ENTRYPOINT,
  ...Object.fromEntries([...served.values()].map(one => [entrypointKey(one), one.iri])),
})
