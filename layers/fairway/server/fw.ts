/** `#fw`: everything that an application author may use on the server. */
import type { H3Event } from 'h3'
import type { Session } from '#fairway/shared/schemas/session'
import * as sessions from './domains/sessions'

/** Returns the signed-in session of this request or null, looked up once per request. */
export const getSession: (event: H3Event) => Promise<Session | null> = sessions.getSession
/** Returns the signed-in session of this request; throws `unauthenticated` without one. */
export const requireSession: (event: H3Event) => Promise<Session> = sessions.requireSession

export {
  defineAction,
  importInput,
  importOutput,
  importRows,
  mcpContent,
  type ActionContext,
  type ActionHost,
  type McpBlock,
  definePublicRoute,
  useFairway,
  type AuthorContext,
  type RouteContext,
} from './domains/actions'
export {
  defineAppRoles,
  setActiveOrgIdOf as setActiveOrgId,
  team,
  accessDenied,
  accessibleTo,
  accessOf,
  callerOf,
  callerPlaceholders,
  columnsFor,
  inOrganization,
  listShares,
  listTeamShares,
  ownedBy,
  requireAll,
  requireCreate,
  requireOrganization,
  requireOrgRole,
  requirePermission,
  setVisibility,
  SHARE_ROLES,
  shareRow,
  shownPersonSchema,
  teamName,
  unshareRow,
  withPeople,
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
export { defineLocalMigration, type LocalMigrationContext } from './domains/sessions'
export { defineMcpApp, defineMcpPrompt, defineMcpResource } from './domains/mcp'
export { defineJob, enqueue, followJob, type JobContext } from './kernel/jobs'
export { notify, sendMail } from './domains/mails'
export { type CalendarEvent, defineMail, type MailAttachment, type MailBodyContext } from './kernel/mail/define-mail'
export { csvRows, defineUpload, type OpenFile, openFile } from './domains/files'
export { entitled, setPlan } from './domains/plans'
export { defineProvider } from './domains/oauth-client'
export { defineFwConfig } from './kernel/config/fw-config'
export { definePermissions } from './kernel/permissions'
export { emailSchema } from '#fairway/shared/schemas/email'
export { containsText } from './kernel/folding/fold-sql'
export { newId } from './kernel/current-run'
export { formerValues } from './domains/actions'
export { outputOf } from './kernel/database/output-of'
export { csvText } from './kernel/export-rows'
export { type Db, preparedQuery, type Transaction } from './kernel/database/orm'
export type { StoredFile } from './kernel/field-types'
export { AppError } from './kernel/http/app-error'
export { checkForm, formCheckInput } from './kernel/limits/form-check'
export { definePageFrame } from './kernel/server-page/page-frame'
export { ORG_ROLES } from '#fairway/shared/roles'
export type { Session }
