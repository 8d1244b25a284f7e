// The full names of tools in hosts, with the prefixes of the servers.
import type { Named, ServerTools } from './tool-traits'

/** In Claude Code. */
export const claudeCodeName = ({ server }: ServerTools, tool: Named) => `mcp__${server}__${tool.name}`
/** In Codex, which sends the name and the namespace `mcp__<server>` separately. */
export const codexName = ({ server }: ServerTools, tool: Named) =>
  `mcp__${server}${tool.name}`.replaceAll(/[^a-zA-Z0-9_]/g, '_')
/** In Copilot CLI. */
export const copilotName = ({ server }: ServerTools, tool: Named) => `${server}-${tool.name}`
/** In Gemini CLI, before it leaves anything out. */
export const geminiFull = ({ server }: ServerTools, tool: Named) => `mcp_${server}_${tool.name}`
/** In VS Code, before it cuts the name. The prefix is made of the name that the server gives itself. */
export const vsCodeFull = ({ title }: ServerTools, tool: Named) =>
  `mcp_${title
    .toLowerCase()
    .replaceAll(/[^a-z0-9_.-]+/g, '_')
    .slice(0, 13)}_${tool.name}`.replaceAll('.', '_')

/** In Gemini CLI: 63 characters at most, with the middle left out. */
export const geminiName = (server: ServerTools, tool: Named): string => {
  const name = geminiFull(server, tool)
  return name.length > 63 ? `${name.slice(0, 30)}...${name.slice(-30)}` : name
}
