export { answerMcpRequest } from './answer-request'
export { type McpDeclarations } from './surface'
export { defineMcpApp } from './define-mcp-app'
export { defineMcpPrompt } from './define-mcp-prompt'
export { defineMcpResource } from './define-mcp-resource'
/** @public */
export type { CatalogTool } from './tool-catalog'
export { toolCatalog } from './tool-catalog'
export { warnAboutStaticTokens } from './static-token'
