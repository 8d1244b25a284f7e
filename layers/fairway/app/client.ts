/** `#fw/client`: the types that an application's pages and components may name; composables and components come without an import. */
export type { TableColumn } from './collections/table-column'
export type { ActionFailure } from './request/action-failure'
