/** @public The build's catalog is made of these. */
export type { CollectionEntry } from './served-collection'
/** @public The types that the build writes for `useCollection` name these. */
export type { CollectionTypeOf } from './define-collection'
export { hostFileReader, requireItemFile } from './item-files'
export { answerCollectionRequest, collectionsOver, mayReadItem } from './answer-collection'
export { answerDocumentRequest } from './documents'
export { checkCollections } from './served-collection'
export { keepTotals } from './sql/kept-total'
export { defineCollection } from './define-collection'
export { isCollection, type Collection, type SqlSelect } from './collection'
export { listActions } from './list-actions'
export { searchableCollections } from './search'
export { collectionPaths } from './openapi-paths'
export {
  ArrayPaginator,
  TraversablePaginator,
  usePagination,
  type CursorPage,
  type HasNextPagePaginatorInterface,
  type PaginatorInterface,
  type PartialPaginatorInterface,
} from './pagination'
