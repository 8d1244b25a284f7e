// Lets the palette, and form fields that refer to a row, search a collection.
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { type Collection, type CollectionSearch, unknownFields } from './collection'
import { type CollectionEntry, servedCollections } from './served-collection'

/** Validates the option `search` at load. */
export const searchSchema = z.strictObject({
  title: z.string(),
  description: z.string().optional(),
  filter: z.string().optional(),
  to: z.string().regex(/^\/(?!\/)/, 'must be a path of the application, for example /books/{id}'),
  icon: z
    .string()
    .regex(/^i-[a-z0-9]+(-[a-z0-9]+)+$/, 'must be the name of an icon, for example i-lucide-book')
    .optional(),
  text: z.string().min(1).optional(),
})

interface Searched {
  item: z.ZodObject
  filters: Collection['filters']
  search?: z.output<typeof searchSchema>
}

/** Returns the errors of the option, each with the values that it accepts. */
export function searchFaults({ item, filters, search }: Searched): string[] {
  if (!search) return []
  const named = [search.title, ...(search.description ? [search.description] : []), ...placeholdersOf(search.to)]
  const searchable = Object.keys(filters).filter(field => [filters[field]].flat().includes('search'))
  const filter = search.filter ?? search.title
  return [
    ...unknownFields('search', item, [...new Set(named)]),
    ...(searchable.includes(filter)
      ? []
      : [
          `search: ${filter} is no filter of the kind search; ${searchable.length > 0 ? `filter may be ${searchable.join(', ')}` : `declare filters: { ${search.title}: 'search' }`}`,
        ]),
  ]
}

const placeholdersOf = (to: string): string[] => [...to.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')

/** The option with its defaults filled in. */
export const settleSearch = ({ filter, ...search }: NonNullable<Searched['search']>): CollectionSearch => ({
  ...search,
  filter: filter ?? search.title,
})

/** The searchable collections for pages: their addresses, and the fields of their items to show. */
export const searchableCollections = (app: App, entries: readonly CollectionEntry[]) =>
  [...servedCollections(app, entries).values()].flatMap(({ name, path, collection }) =>
    collection.search ? [{ name, path, ...collection.search }] : [],
  )
