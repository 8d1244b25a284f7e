import { mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { changeFile } from '#fairway/cli/change-file'
import { findHost, hosts, type Machine } from '#fairway/cli/hosts/hosts'
import { parseMcpUrl } from '#fairway/cli/mcp/endpoint'

const command = { command: '/usr/bin/node', args: ['/opt/fairway/cli/fw.mjs'] }
const isThere = () => false
const linux: Machine = { platform: 'linux', home: '/home/ada', env: {}, command, isThere }
const mac: Machine = { ...linux, platform: 'darwin', home: '/Users/ada' }
const windows: Machine = {
  ...linux,
  platform: 'win32',
  home: 'C:\\Users\\ada',
  env: { APPDATA: 'C:\\Users\\ada\\AppData\\Roaming' },
}
const url = 'https://app.example.com/mcp'
const entry = (id: keyof typeof hosts) => JSON.parse(hosts[id].set('', 'fairway', url, linux))

describe('host configuration files', () => {
  it.each([
    ['claude-code', '/home/ada/.claude.json', '/Users/ada/.claude.json', 'C:\\Users\\ada\\.claude.json'],
    [
      'claude-desktop',
      '/home/ada/.config/Claude/claude_desktop_config.json',
      '/Users/ada/Library/Application Support/Claude/claude_desktop_config.json',
      'C:\\Users\\ada\\AppData\\Roaming\\Claude\\claude_desktop_config.json',
    ],
    ['cursor', '/home/ada/.cursor/mcp.json', '/Users/ada/.cursor/mcp.json', 'C:\\Users\\ada\\.cursor\\mcp.json'],
    [
      'vscode',
      '/home/ada/.config/Code/User/mcp.json',
      '/Users/ada/Library/Application Support/Code/User/mcp.json',
      'C:\\Users\\ada\\AppData\\Roaming\\Code\\User\\mcp.json',
    ],
    ['codex', '/home/ada/.codex/config.toml', '/Users/ada/.codex/config.toml', 'C:\\Users\\ada\\.codex\\config.toml'],
    [
      'opencode',
      '/home/ada/.config/opencode/opencode.json',
      '/Users/ada/.config/opencode/opencode.json',
      'C:\\Users\\ada\\.config\\opencode\\opencode.json',
    ],
    [
      'zed',
      '/home/ada/.config/zed/settings.json',
      '/Users/ada/.config/zed/settings.json',
      'C:\\Users\\ada\\AppData\\Roaming\\Zed\\settings.json',
    ],
    [
      'goose',
      '/home/ada/.config/goose/config.yaml',
      '/Users/ada/.config/goose/config.yaml',
      'C:\\Users\\ada\\AppData\\Roaming\\Block\\goose\\config\\config.yaml',
    ],
  ])('%s is at the path that the host reads on Linux, macOS and Windows', (id, onLinux, onMac, onWindows) => {
    const files = [linux, mac, windows].map(machine => findHost(id)?.file(machine))
    expect(files).toEqual([onLinux, onMac, onWindows])
  })

  it('follow the environment variables of the hosts', () => {
    const env = { CLAUDE_CONFIG_DIR: '/cfg/claude', CODEX_HOME: '/cfg/codex', XDG_CONFIG_HOME: '/cfg' }
    const machine = { ...linux, env }
    expect(hosts['claude-code'].file(machine)).toBe('/cfg/claude/.claude.json')
    expect(hosts.codex.file(machine)).toBe('/cfg/codex/config.toml')
    expect(hosts.vscode.file(machine)).toBe('/cfg/Code/User/mcp.json')
    expect(hosts.opencode.file(machine)).toBe('/cfg/opencode/opencode.json')
    expect(hosts.zed.file(machine)).toBe('/cfg/zed/settings.json')
    expect(hosts.zed.file({ ...machine, platform: 'darwin' })).toBe('/home/ada/.config/zed/settings.json')
    expect(hosts.zed.file({ ...linux, env: { FLATPAK_XDG_CONFIG_HOME: '/pak' } })).toBe('/pak/zed/settings.json')
    expect(hosts.goose.file(machine)).toBe('/cfg/goose/config.yaml')
    expect(hosts.goose.file({ ...linux, env: { GOOSE_PATH_ROOT: '/goose' } })).toBe('/goose/config/config.yaml')
    expect(hosts.goose.file({ ...linux, env: { GOOSE_PATH_ROOT: 'goose' } })).toBe(hosts.goose.file(linux))
    expect(hosts.gemini.file({ ...linux, env: { GEMINI_CLI_HOME: '/g' } })).toBe('/g/.gemini/settings.json')
  })

  it('use an existing opencode.jsonc for opencode', () => {
    const jsonc = '/home/ada/.config/opencode/opencode.jsonc'
    expect(hosts.opencode.file({ ...linux, isThere: file => file === jsonc })).toBe(jsonc)
  })

  it('have the format that each host reads', () => {
    expect(entry('claude-code')).toEqual({ mcpServers: { fairway: { type: 'http', url } } })
    expect(entry('cursor')).toEqual({ mcpServers: { fairway: { url } } })
    expect(entry('vscode')).toEqual({ servers: { fairway: { type: 'http', url } } })
    expect(entry('gemini')).toEqual({ mcpServers: { fairway: { url, type: 'http' } } })
    expect(entry('opencode')).toEqual({ mcp: { fairway: { type: 'remote', url, enabled: true } } })
    expect(entry('zed')).toEqual({ context_servers: { fairway: { url } } })
    expect(parse(hosts.goose.set('', 'Fairway', url, linux))).toEqual({
      extensions: {
        fairway: { enabled: true, type: 'streamable_http', name: 'Fairway', description: '', uri: url, timeout: 300 },
      },
    })
    expect(entry('windsurf')).toEqual({ mcpServers: { fairway: { serverUrl: url } } })
    expect(entry('claude-desktop')).toEqual({
      mcpServers: { fairway: { command: '/usr/bin/node', args: [...command.args, 'mcp', 'stdio', url] } },
    })
  })

  it('replace the old address entry of Gemini CLI and keep its other settings', () => {
    const old = JSON.stringify({ mcpServers: { fairway: { httpUrl: url, trust: true } } })
    const set = hosts.gemini.set(old, 'fairway', url, linux)
    expect(JSON.parse(set)).toEqual({ mcpServers: { fairway: { trust: true, url, type: 'http' } } })
    expect(hosts.gemini.set(set, 'fairway', url, linux)).toBe(set)
  })

  it('keep the comments and other entries of opencode and Zed', () => {
    const settings = `// mine\n{\n  "theme": "One", // dark\n  "context_servers": {\n    "other": { "url": "https://a" },\n  },\n}\n`
    const added = `    "other": { "url": "https://a" },\n    "fairway": {\n      "url": "${url}"\n    },\n`
    const set = hosts.zed.set(settings, 'fairway', url, linux)
    expect(set).toBe(settings.replace('    "other": { "url": "https://a" },\n', added))
    const disabled = `{\n  // off\n  "mcp": { "fairway": { "enabled": false } }\n}\n`
    expect(hosts.opencode.set(disabled, 'fairway', url, linux)).toContain('// off')
    expect(hosts.opencode.set(disabled, 'fairway', url, linux)).toContain('"enabled": true')
  })

  it('are found only by the exact host name', () => {
    expect(['toString', '__proto__', 'emacs'].map(findHost)).toEqual([undefined, undefined, undefined])
  })
})

describe('changeFile', () => {
  const now = new Date('2026-11-21T10:11:12.345Z')

  it('writes one backup per change and keeps the file permissions', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fw-hosts-'))
    const file = join(folder, 'mcp.json')
    writeFileSync(file, '{}', { mode: 0o640 })
    const set = (text: string) => hosts.cursor.set(text, 'fairway', url, linux)
    const first = await changeFile(file, set, now)
    expect(first).toEqual({ isChanged: true, backup: `${file}.20261121T101112Z.bak` })
    expect(readFileSync(first.backup ?? '', 'utf8')).toBe('{}')
    expect(statSync(file).mode & 0o777).toBe(0o640)
    expect(await changeFile(file, set, now)).toEqual({ isChanged: false })
    expect(readdirSync(folder)).toHaveLength(2)
  })

  it('creates missing folders and a private file without a backup', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'fw-hosts-')), 'a', 'b', 'config.toml')
    expect(await changeFile(file, text => hosts.codex.set(text, 'fairway', url, linux), now)).toEqual({
      isChanged: true,
      backup: undefined,
    })
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  it('follows a symbolic link instead of replacing it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fw-hosts-'))
    writeFileSync(join(folder, 'real.json'), '{}')
    symlinkSync(join(folder, 'real.json'), join(folder, 'link.json'))
    await changeFile(join(folder, 'link.json'), text => hosts.cursor.set(text, 'fairway', url, linux), now)
    expect(JSON.parse(readFileSync(join(folder, 'real.json'), 'utf8'))).toHaveProperty('mcpServers.fairway.url', url)
  })

  it('leaves an invalid file unchanged', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fw-hosts-'))
    const file = join(folder, 'mcp.json')
    writeFileSync(file, '{"mcpServers": ')
    await expect(changeFile(file, text => hosts.cursor.set(text, 'fairway', url, linux), now)).rejects.toThrow('line 1')
    expect(readdirSync(folder)).toEqual(['mcp.json'])
  })
})

describe('parseMcpUrl', () => {
  it.each([
    ['https://app.example.com', 'https://app.example.com/mcp'],
    ['app.example.com', 'https://app.example.com/mcp'],
    ['https://app.example.com/', 'https://app.example.com/mcp'],
    ['https://app.example.com/mcp', 'https://app.example.com/mcp'],
    ['https://app.example.com/other#x', 'https://app.example.com/other'],
    ['http://localhost:3000', 'http://localhost:3000/mcp'],
    ['http://127.0.0.1:1/mcp', 'http://127.0.0.1:1/mcp'],
    [undefined, 'http://localhost:3000/mcp'],
  ])('resolves %s to %s', (text, href) => {
    expect(parseMcpUrl(text).href).toBe(href)
  })

  it.each(['http://app.example.com', 'ftp://app.example.com', 'https://a:b@app.example.com', 'not an address', ''])(
    'refuses %j',
    text => {
      expect(() => parseMcpUrl(text)).toThrow()
    },
  )
})
