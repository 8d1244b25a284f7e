/** `#fw/client`: what an application's pages and components import by name; composables and components come without an import. */
export { CollectionError, iterateCollection } from '#fairway/shared/collections/iterate-collection'
export type { FileValue } from '#fairway/shared/schemas/file'
export type { Session } from '#fairway/shared/schemas/session'
export type { TableColumn } from './collections/collection-list'
export type { ItemOf } from './composables/useCollection'
export type { NavigationEntry } from './composables/useNavigation'
export { ActionFailure } from './request/action-failure'
