/** @public The types that the build writes for `useAction` name these. */
export type { ActionTypeOf } from './action'
/** @public */
export type { CatalogEntry } from './openapi'
export { formerValues, purgeUndo } from './undo/keep-undo'
export {
  type Action,
  type ActionContext,
  type ActionHost,
  type HostQuestion,
  HostQuestions,
  findMcpContent,
  type McpBlock,
  mcpContent,
} from './action'
export { type ActionToken, answerActionRequest, servedActions } from './action-request'
export { unreadAddress } from './address'
export { factsOf, questionMessage, questionOf, visible } from './call-question'
export {
  coerceInput,
  dropFormKeywords,
  inputJsonSchema,
  moneyFieldsIn,
  unknownCollections,
  unknownUploads,
} from './coerce-input'
export { callersOf, isOffered, isOfferedTo, scopeOfAction } from './callers'
export { defineAction, isAction, definePlatformAction } from './define-action'
export { importInput, importOutput, importRows } from './import-rows'
/** @public The types that the build writes for operations name these. */
export type { OperationTypeOf } from './operation'
/** @public */
export type { OperationEntry } from './operation-handler'
export { defineOperations, type Operation, operation } from './operation'
export { operationPaths } from './operation-paths'
export { servedOperations } from './operation-handler'
export { serveAddresses } from './serve-addresses'
export { type JsonSchema, openApiDocument, openApiSchema, refusals, tokenSecurity } from './openapi'
export { parseOutput } from './call-steps'
export { checkAction, declareActions, rehearseAction, runAction, runNamed } from './run-action'
export { auditIn, BACKUP_ACTION, lastDoneAt, leavingRow, recordAudit, recordWithin } from './audit/record-audit'
export { actionsRows, exportAuditLog, listAuditLog } from './audit/audit-log'
export { countGrantCalls } from './audit/grant-calls'
export { maySeeSubject, subjectsOf } from './audit/audit-subject'
export {
  auditEventsSince,
  type AuditWrite,
  findAuditEvent,
  followAudit,
  type HeardUntil,
  listMissedWrites,
  listWritesAfter,
  newestAuditRow,
  OF_EVERY_MEMBER,
} from './audit/follow-audit'
export { sealAuditJob, sealAuditLog, verifyAuditLog } from './audit/audit-chain'
export { type AuthorCall, type AuthorContext, authorContext } from './author-context'
export { definePublicRoute, type RouteContext, useFairway } from './author-routes'
/** @public The build writes its import (modules/author-routes). */
export { requireSessionFirst } from './author-routes'
export { getBrowserConnection } from './builder-browser'
