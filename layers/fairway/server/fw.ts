/** `#fw`: everything that an application author may use on the server. */
export {
  defineAction,
  mcpContent,
  type ActionContext,
  type ActionHost,
  type McpBlock,
  definePublicRoute,
  useFairway,
  type AuthorContext,
} from './domains/actions'
export {
  defineAppRoles,
  setActiveOrgIdOf as setActiveOrgId,
  team,
  accessibleTo,
  accessOf,
  callerOf,
  callerPlaceholders,
  listShares,
  ownedBy,
  setVisibility,
  SHARE_ROLES,
  shareRow,
  unshareRow,
  type ShareRole,
} from './domains/organizations'
export {
  ArrayPaginator,
  defineCollection,
  TraversablePaginator,
  usePagination,
  type CursorPage,
  type HasNextPagePaginatorInterface,
  type PaginatorInterface,
  type PartialPaginatorInterface,
  type SqlSelect,
} from './domains/collections'
export { defineLocalMigration, type LocalMigrationContext, getSession, requireSession } from './domains/sessions'
export { defineMcpApp, defineMcpPrompt, defineMcpResource } from './domains/mcp'
export { defineProvider } from './domains/oauth-client'
export { defineFwConfig } from './kernel/config/fw-config'
export { emailSchema } from '#fairway/shared/schemas/email'
export { newId } from './kernel/crypto/random'
export { preparedQuery } from './kernel/database/orm'
export { AppError } from './kernel/http/app-error'
export { definePageFrame } from './kernel/server-page/page-frame'
export { ORG_ROLES } from '#fairway/shared/roles'
export type { Session } from '#fairway/shared/schemas/session'
