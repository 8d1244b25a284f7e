import { isDeclared } from '#fairway/server/kernel/declaration'
import type { Collection } from './collection'

/** Whether a value was made by defineCollection. */
export const isCollection = (value: unknown): value is Collection => isDeclared('collection', value)
