const NAMES: Partial<Record<string, string>> = {
  'mcp:read': 'read',
  'mcp:write': 'write',
  'mcp:apps': 'apps',
  offline_access: 'offline',
}

/** The last part of the keys of a scope's texts; `other` for scopes without texts. */
export const scopeName = (scope: string): string => NAMES[scope] ?? 'other'
