/** What an MCP host may be allowed to do, in the order in which people are asked. */
export const MCP_SCOPES = ['mcp:read', 'mcp:write', 'mcp:apps'] as const
export type McpScope = (typeof MCP_SCOPES)[number]

/** Opens the operations of operators that accept tokens; of personal tokens alone, and while the person is an operator. */
export const OPERATOR_SCOPE = 'operator'
export const TOKEN_SCOPES = [...MCP_SCOPES, OPERATOR_SCOPE] as const
export type TokenScope = (typeof TOKEN_SCOPES)[number]

/** Asks for a refresh token; opens nothing by itself. */
export const OFFLINE_ACCESS = 'offline_access'

/** The tick box of the consent page for tools that lose something for good; no scope: `mcp:write` opens them unless the grant says no. */
export const DELETE = 'delete'

export const SUPPORTED_SCOPES = [...MCP_SCOPES, OFFLINE_ACCESS] as const
export type Scope = (typeof SUPPORTED_SCOPES)[number]

/** Every scope that a grant may have. */
export const GRANT_SCOPES = [...SUPPORTED_SCOPES, OPERATOR_SCOPE] as const

/** What is asked for when a host names no scope. */
export const DEFAULT_SCOPES: readonly Scope[] = ['mcp:read', 'mcp:write']

/** Those of a space-separated list that exist here, in our order. */
export function knownScopes(list = ''): Scope[] {
  const named = list.split(' ')
  return SUPPORTED_SCOPES.filter(scope => named.includes(scope))
}

/** What opens tools, without `offline_access`. */
export const toolScopes = (scopes: readonly Scope[]): McpScope[] => MCP_SCOPES.filter(scope => scopes.includes(scope))

/** What each scope means, for people. */
export const SCOPE_WORDS: Record<(typeof GRANT_SCOPES)[number], string> = {
  'mcp:read': 'Read what you can read',
  'mcp:write': 'Make, change and delete what you can',
  'mcp:apps': 'Show views of this application inside the app',
  operator: 'Run this installation: people, organizations and jobs',
  offline_access: 'Stay connected until you disconnect it',
}

/** What `mcp:write` means where the person kept back what loses something for good. */
export const WRITE_WITHOUT_DELETE = 'Make and change what you can, and delete nothing'
