/** The permissions that an MCP host may receive, in the order of the consent page. */
export const MCP_SCOPES = ['mcp:read', 'mcp:write', 'mcp:apps'] as const
export type McpScope = (typeof MCP_SCOPES)[number]

/** Allows the operations of operators that accept tokens. Only for personal tokens, and while the person is an operator. */
export const OPERATOR_SCOPE = 'operator'
export const TOKEN_SCOPES = [...MCP_SCOPES, OPERATOR_SCOPE] as const
export type TokenScope = (typeof TOKEN_SCOPES)[number]

/** Requests a refresh token. Grants no access alone. */
export const OFFLINE_ACCESS = 'offline_access'

/**
 * The checkbox on the consent page for tools that delete data permanently. It is no scope: `mcp:write` includes them unless the
 * grant excludes them.
 */
export const DELETE = 'delete'

/** The checkbox below it: whether the person is asked before such a tool runs. */
export const ASK_FIRST = 'ask-first'

export const SUPPORTED_SCOPES = [...MCP_SCOPES, OFFLINE_ACCESS] as const
export type Scope = (typeof SUPPORTED_SCOPES)[number]

/** Every scope that a grant may have. */
export const GRANT_SCOPES = [...SUPPORTED_SCOPES, OPERATOR_SCOPE] as const

/** The scopes of a host that names none. */
export const DEFAULT_SCOPES: readonly Scope[] = ['mcp:read', 'mcp:write']

/** Returns the scopes of a space-separated list that exist here, in our order. */
export function knownScopes(list = ''): Scope[] {
  const named = list.split(' ')
  return SUPPORTED_SCOPES.filter(scope => named.includes(scope))
}

/** Returns the scopes for tools, without `offline_access`. */
export const toolScopes = (scopes: readonly Scope[]): McpScope[] => MCP_SCOPES.filter(scope => scopes.includes(scope))

/** The meaning of each scope, for people. */
export const SCOPE_WORDS: Record<(typeof GRANT_SCOPES)[number], string> = {
  'mcp:read': 'View everything you can view',
  'mcp:write': 'Create, edit and delete on your behalf',
  'mcp:apps': 'Show interactive views',
  operator: 'Manage this installation: people, organizations and jobs',
  offline_access: 'Stay connected until you revoke access',
}

/** The meaning of `mcp:write` where the person excluded permanent deletion. */
export const WRITE_WITHOUT_DELETE = 'Create and edit on your behalf, without deleting'
