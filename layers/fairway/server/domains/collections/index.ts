export { answerCollectionRequest } from './answer-collection-request'
export { answerDocumentRequest } from './answer-document-request'
export { checkCollections } from './check-collections'
export { defineCollection } from './define-collection'
export { isCollection } from './is-collection'
export { collectionPaths } from './openapi-paths'
export { ArrayPaginator } from './paginators/array-paginator'
export { TraversablePaginator } from './paginators/traversable-paginator'
export { isServedPath } from './served-path'
export { usePagination } from './use-pagination'
export type { Collection, SqlSelect } from './collection'
export type {
  CursorPage,
  HasNextPagePaginatorInterface,
  PaginatorInterface,
  PartialPaginatorInterface,
} from './paginators/paginator'
/** @public The build's catalog is made of these. */
export type { CollectionEntry } from './served-collection'
/** @public The types that the build writes for `useCollection` name these. */
export type { CollectionTypeOf } from './collection-types'
