import type { Page } from '../collection'
import type { ViewLinks } from '../links'
import type { ServedCollection } from '../served-collection'

/** One way to write collections and their items. */
export interface Representation {
  mediaType: string
  contentType: string
  writePage(served: ServedCollection, page: Page, links: ViewLinks): string
  writeItem(served: ServedCollection, item: unknown): string
}
