import type { Collection } from './collection'

/** The mark of what defineCollection made; it is the same in every copy of this module, because the build loads its own. */
export const COLLECTION_MARK = Symbol.for('fairway.collection')

/** Whether a value was made by defineCollection. */
export const isCollection = (value: unknown): value is Collection =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, COLLECTION_MARK)
