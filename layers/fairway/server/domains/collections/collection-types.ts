import type { z } from 'zod'
import type { DeclaredCollection } from './define-collection'

/** What callers of a collection work with, from the module that declares it. @public */
export type CollectionTypeOf<Module> = Module extends {
  default: DeclaredCollection<infer Item, infer Filter, infer Order>
}
  ? { item: z.output<Item>; filters: Filter; order: Order }
  : never
