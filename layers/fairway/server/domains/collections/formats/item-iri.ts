import { encode } from '../query/build-query'
import type { ServedCollection } from '../served-collection'

const PLAIN = /^[\w.~-]+$/

/** The address of an item: that of its collection and its id. */
export const itemIri = (served: ServedCollection, id: string): string =>
  `${served.iri}/${PLAIN.test(id) ? id : encode(id)}`

/** The id of an item as a text; the declaration has made sure that there is one. */
export const idOf = (item: unknown): string => String((item as { id: unknown }).id)
