/** @public */
/** @public */
export type { CatalogTool } from './tool-catalog'
export { answerMcpRequest } from './answer-request'
export type { McpDeclarations } from './surface'
export { defineMcpApp, defineMcpPrompt, defineMcpResource } from './define-mcp'
export { withPersonalToken } from './personal-token'
export { toolCatalog } from './tool-catalog'
export { localMcpServer } from './mcp-server'
export { warnAboutStaticTokens } from './access'
