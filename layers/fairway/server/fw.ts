/** `#fw`: everything that an application author may use on the server. */
export { defineAction, mcpContent } from './domains/actions'
export type { ActionContext, ActionHost, McpBlock } from './domains/actions'
export { defineAppRoles } from './domains/app-roles'
export { definePublicRoute, useFairway } from './domains/author-context'
export type { AuthorContext } from './domains/author-context'
export { ArrayPaginator, defineCollection, TraversablePaginator, usePagination } from './domains/collections'
export type {
  CursorPage,
  HasNextPagePaginatorInterface,
  PaginatorInterface,
  PartialPaginatorInterface,
  SqlSelect,
} from './domains/collections'
export { defineLocalMigration } from './domains/local-migration'
export type { LocalMigrationContext } from './domains/local-migration'
export { defineMcpApp, defineMcpPrompt, defineMcpResource } from './domains/mcp'
export { defineProvider } from './domains/oauth-client'
export { setActiveOrgIdOf as setActiveOrgId, team } from './domains/organizations'
export { getSession, requireSession } from './domains/sessions'
export {
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
} from './domains/sharing'
export { defineFwConfig } from './foundation/config/fw-config'
export { emailSchema } from '#fairway/shared/schemas/email'
export { newId } from './foundation/crypto/random'
export { preparedQuery } from './foundation/database/prepared-query'
export { AppError } from './foundation/http/app-error'
export { definePageFrame } from './foundation/server-page/page-frame'
export { ORG_ROLES } from '#fairway/shared/roles'
export type { ShareRole } from './domains/sharing'
export type { Session } from '#fairway/shared/schemas/session'
