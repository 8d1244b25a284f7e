// What help texts name. These lists are apart from the work, so that a help text loads nothing else.

/** The MCP hosts that `fw connect` can configure. */
export const HOST_IDS = [
  'claude-code',
  'claude-desktop',
  'cursor',
  'vscode',
  'codex',
  'gemini',
  'windsurf',
  'opencode',
  'zed',
  'goose',
] as const
export type HostId = (typeof HOST_IDS)[number]

/** The hosts whose treatment of tools is recorded, for `fw hosts`. */
export const RECORDED_HOST_IDS = ['claude-code', 'claude', 'chatgpt', 'codex', 'vscode', 'gemini', 'copilot'] as const
export type RecordedHostId = (typeof RECORDED_HOST_IDS)[number]

/** The checks of `fw doctor`, in the order of the output. */
export const CHECK_NAMES = [
  'settings',
  'node',
  'declarations',
  'routes',
  'files',
  'port',
  'database',
  'migrations',
  'mail',
  'providers',
  'hub',
  'base-url',
  'mcp',
  'outgoing',
  'clock',
] as const
export type CheckName = (typeof CHECK_NAMES)[number]

/** The templates of a new project, with their descriptions. */
export const SAMPLES = {
  notes:
    'notes as `fw generate resource` writes them: a table, actions, a list, pages and a test, to be changed or deleted',
  empty: 'a start page and nothing else',
} as const
export type Sample = keyof typeof SAMPLES
