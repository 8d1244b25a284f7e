import type { Host } from './host'
import manifest from './clients/package.json' with { type: 'json' }

const versions: Record<string, string> = manifest.dependencies

/** A released client as a row; its version is the installed one from clients/package.json. */
const row = (name: string, installedAs: string, { asksForMore = false } = {}) => ({
  name,
  version: versions[installedAs]?.split('@').at(-1) ?? '',
  kind: 'client' as const,
  client: 'registered' as const,
  asksForMore,
  tested: 'released program',
  installedAs,
})

// SDK 1.32 tries to request more scopes. With a refresh token, it refreshes instead and fails (anthropics/claude-code#28258).
/** The released clients that `npm run hosts` connects, in the order of docs/hosts.md. */
export const clients = [
  row('MCP SDK', 'sdk-1.12'),
  row('MCP SDK', 'sdk-1.20'),
  row('MCP SDK', 'sdk-1.32'),
  row('MCP client', '@modelcontextprotocol/client', { asksForMore: true }),
  row('AI SDK', '@ai-sdk/mcp'),
  row('mcp-remote', 'mcp-remote-0.1'),
  row('mcp-remote', 'mcp-remote', { asksForMore: true }),
  row('mcporter', 'mcporter'),
] satisfies readonly Host[]
