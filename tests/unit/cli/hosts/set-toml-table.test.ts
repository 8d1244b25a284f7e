import { describe, expect, it } from 'vitest'
import { setTomlTable } from '#fairway/cli/hosts/set-toml-table'

const URL = 'https://app.example.com/mcp'
const set = (text: string) => setTomlTable(text, ['mcp_servers', 'fairway'], { url: URL })
const added = `[mcp_servers.fairway]\nurl = "${URL}"\n`

const codex = `# my settings
model = "gpt-5"
notify = [
  "notify-send", # [not.a.table]
  "Codex",
]
prompt = """
[mcp_servers.fairway]
url = "text, not a table"
"""

[mcp_servers.github]
command = "docker" # keep
args = ["run", "[x]"]

[mcp_servers.github.env]
TOKEN = 'a#b'
`

describe('setTomlTable', () => {
  it('appends the table and keeps everything else', () => {
    expect(set('')).toBe(added)
    expect(set(codex)).toBe(`${codex}\n${added}`)
    expect(set(set(codex))).toBe(set(codex))
    expect(set('a = 1')).toBe(`a = 1\n\n${added}`)
  })

  it('updates the address in place and keeps the other keys of the table', () => {
    const before = `[mcp_servers.fairway] # ours\nenabled = true\nurl = 'https://old.example.com/mcp'\n\n[other]\na = 1\n`
    expect(set(before)).toBe(`[mcp_servers.fairway] # ours\nenabled = true\nurl = "${URL}"\n\n[other]\na = 1\n`)
    expect(set(`[mcp_servers."fairway"]\nurl = '${URL}'\n`)).toBe(`[mcp_servers."fairway"]\nurl = '${URL}'\n`)
  })

  it('replaces a command with the address', () => {
    const before = `[mcp_servers.fairway]\n# a note\ncommand = "node"\nargs = [\n  "x",\n]\n[other]\n`
    expect(set(before)).toBe(`[mcp_servers.fairway]\nurl = "${URL}"\n# a note\n[other]\n`)
  })

  it('keeps Windows line endings', () => {
    expect(set('a = 1\r\n').replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  })

  it.each([
    ['this is no toml\n', 'line 1'],
    ['a = [\n1,\n', 'does not end'],
    ['a = """\nopen\n', 'does not end'],
    ['mcp_servers.fairway.url = "x"\n', 'dotted key'],
    ['mcp_servers = { fairway = { url = "x" } }\n', 'dotted key'],
    ['[mcp_servers]\nfairway = { url = "x" }\n', 'dotted key'],
    ['[mcp_servers.fairway]\n[mcp_servers.fairway]\n', 'twice'],
    ['[a b]\n', 'line 1'],
    ['[[mcp_servers.fairway]]\n', 'changed safely'],
    ['mcp_servers = { other = { url = "x" } }\n', 'changed safely'],
    ['a = 1\na = 2\n', 'changed safely'],
  ])('throws a syntax error when the content cannot be changed safely: %j', (text, reason) => {
    expect(() => set(text)).toThrow(SyntaxError)
    expect(() => set(text)).toThrow(reason)
  })
})
