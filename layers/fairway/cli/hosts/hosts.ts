import { posix, win32 } from 'node:path'
import { PACKAGE_NAME } from '../../shared/package'
import type { HostId } from '../names'
import { type Entry, setJsonEntry } from './json-entry'
import { setTomlTable } from './set-toml-table'
import { setYamlEntry } from './set-yaml-entry'

/** The machine that a configuration is written for. */
export interface Machine {
  platform: NodeJS.Platform
  home: string
  env: Record<string, string | undefined>
  /** The command that starts `fw` from any folder. */
  command: { command: string; args: string[] }
  isThere(file: string): boolean
}

export interface Host {
  title: string
  /** The configuration file of the host for this person. */
  file(machine: Machine): string
  /** Returns the text of that file with the server added. */
  set(text: string, name: string, url: string, machine: Machine): string
  /** The next step in the host. */
  next(name: string): string
}

/** The command that starts `fw` on a machine without a copy of the application. */
export const packageCommand = { command: 'npx', args: ['-y', PACKAGE_NAME] }

/** The hosts that `fw connect` can configure. */
export const hosts: Record<HostId, Host> = {
  'claude-code': {
    title: 'Claude Code',
    file: machine => join(machine, machine.env.CLAUDE_CONFIG_DIR || machine.home, '.claude.json'),
    set: json('mcpServers', url => ({ type: 'http', url })),
    next: name => `Run \`claude\`, then \`/mcp\`, choose ${name} and authenticate.`,
  },
  'claude-desktop': {
    title: 'Claude Desktop',
    file: machine => join(machine, configFolder(machine), 'Claude', 'claude_desktop_config.json'),
    // Its file supports programs only; people add an address in the application, as a connector.
    set: json('mcpServers', (url, { command }) => ({
      command: command.command,
      args: [...command.args, 'mcp', 'stdio', url],
    })),
    next: () => 'Restart Claude Desktop. A browser opens for the sign-in when it starts the server.',
  },
  cursor: {
    title: 'Cursor',
    file: machine => join(machine, machine.home, '.cursor', 'mcp.json'),
    set: json('mcpServers', url => ({ url })),
    next: name => `Open Cursor's settings, “MCP”, and sign in at ${name}.`,
  },
  vscode: {
    title: 'VS Code',
    file: machine => join(machine, configFolder(machine), 'Code', 'User', 'mcp.json'),
    set: json('servers', url => ({ type: 'http', url })),
    next: name => `In VS Code run “MCP: List Servers”, choose ${name} and start it.`,
  },
  codex: {
    title: 'Codex',
    file: machine => join(machine, machine.env.CODEX_HOME || join(machine, machine.home, '.codex'), 'config.toml'),
    set: (text, name, url) => setTomlTable(text, ['mcp_servers', name], { url }),
    next: name => `Run \`codex mcp login ${name}\`.`,
  },
  gemini: {
    title: 'Gemini CLI',
    file: machine => join(machine, machine.env.GEMINI_CLI_HOME || machine.home, '.gemini', 'settings.json'),
    // An existing `httpUrl` would override the address (packages/core/src/tools/mcp-client.ts).
    set: json('mcpServers', url => ({ url, type: 'http', httpUrl: undefined })),
    next: name => `Run \`gemini\`, then \`/mcp auth ${name}\`.`,
  },
  windsurf: {
    title: 'Windsurf',
    file: machine => join(machine, machine.home, '.codeium', 'windsurf', 'mcp_config.json'),
    set: json('mcpServers', url => ({ serverUrl: url })),
    next: name => `Refresh the MCP servers in Windsurf and sign in at ${name}.`,
  },
  opencode: {
    title: 'opencode',
    // It reads both files, at the Linux paths on every system (packages/opencode/src/config/config.ts), as does version 2.
    file: machine => {
      const folder = join(machine, dotConfig(machine), 'opencode')
      const [first = '', second = ''] = ['opencode.jsonc', 'opencode.json'].map(name => join(machine, folder, name))
      return machine.isThere(first) ? first : second
    },
    set: json('mcp', url => ({ type: 'remote', url, enabled: true })),
    next: name => `Run \`opencode mcp auth ${name}\`.`,
  },
  zed: {
    title: 'Zed',
    // crates/paths/src/paths.rs: on macOS it uses the Linux path too.
    file: machine =>
      machine.platform === 'win32'
        ? join(machine, configFolder(machine), 'Zed', 'settings.json')
        : join(machine, zedConfig(machine), 'zed', 'settings.json'),
    set: json('context_servers', url => ({ url })),
    next: name => `In Zed's settings, under “MCP Servers”, sign in at ${name}.`,
  },
  goose: {
    title: 'Goose',
    file: gooseFile,
    // Goose compares names in lower case (crates/goose/src/config/extensions.rs).
    set: (text, name, uri) =>
      setYamlEntry(text, ['extensions', name.toLowerCase()], {
        entry: { enabled: true, type: 'streamable_http', uri },
        defaults: { name, description: '', timeout: 300 },
      }),
    next: () => 'Start a new session in Goose. A browser opens for the sign-in.',
  },
}

/** Returns the host of this name, or undefined. */
export const findHost = (id: string): Host | undefined => Object.entries(hosts).find(([each]) => each === id)?.[1]

function json(section: string, toEntry: (url: string, machine: Machine) => Entry): Host['set'] {
  return (text, name, url, machine) => setJsonEntry(text, section, name, toEntry(url, machine))
}

/** The configuration folder of a person: `~/.config`, Application Support, or AppData. */
function configFolder(machine: Machine): string {
  const { platform, home, env } = machine
  if (platform === 'darwin') return join(machine, home, 'Library', 'Application Support')
  if (platform === 'win32') return env.APPDATA || join(machine, home, 'AppData', 'Roaming')
  return env.XDG_CONFIG_HOME || join(machine, home, '.config')
}

/** The configuration folder of programs that use the XDG folders on every system. */
const dotConfig = (machine: Machine): string => machine.env.XDG_CONFIG_HOME || join(machine, machine.home, '.config')

/** Zed reads the XDG variables on Linux, but not on macOS. */
const zedConfig = (machine: Machine): string =>
  machine.platform === 'darwin'
    ? join(machine, machine.home, '.config')
    : machine.env.FLATPAK_XDG_CONFIG_HOME || dotConfig(machine)

/** crates/goose/src/config/paths.rs: on Windows the path still contains Block, the company that started Goose. */
function gooseFile(machine: Machine): string {
  const { platform, env } = machine
  const root = env.GOOSE_PATH_ROOT
  if (root && (platform === 'win32' ? win32 : posix).isAbsolute(root))
    return join(machine, root, 'config', 'config.yaml')
  return platform === 'win32'
    ? join(machine, configFolder(machine), 'Block', 'goose', 'config', 'config.yaml')
    : join(machine, dotConfig(machine), 'goose', 'config.yaml')
}

const join = ({ platform }: Machine, ...parts: string[]): string =>
  platform === 'win32' ? win32.join(...parts) : posix.join(...parts)
