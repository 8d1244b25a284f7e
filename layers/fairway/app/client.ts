/** `#fw/client`: the names that an application's pages and components import. Composables and components need no import. */
export { CollectionError, iterateCollection } from '#fairway/shared/collections/iterate-collection'
export type { FileValue } from '#fairway/shared/schemas/file'
export type { Session } from '#fairway/shared/schemas/session'
export type { ItemOf, TableColumn } from './collections/collection-list'
export type { NavigationEntry } from './composables/useNavigation'
export { ActionFailure } from './request/action-failure'
