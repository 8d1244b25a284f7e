export type { Action, ActionContext } from './action'
export { type ActionHost, type HostQuestion, HostQuestions } from './action-host'
/** @public The types that the build writes for `useAction` name these. */
export type { ActionTypeOf } from './action'
export { allowedMethods, answerActionRequest } from './action-request'
export { coerceInput, inputJsonSchema } from './coerce-input'
export { defineAction } from './define-action'
export { isAction } from './is-action'
export { findMcpContent, type McpBlock, mcpContent } from './mcp-content'
export { openApiDocument } from './openapi'
export { definePlatformAction, isOffered, isOfferedTo } from './platform-action'
/** @public */
export type { CatalogEntry } from './openapi'
export { checkAction, runAction } from './run-action'
