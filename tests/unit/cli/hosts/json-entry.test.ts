import { describe, expect, it } from 'vitest'
import { setJsonEntry } from '#fairway/cli/hosts/json-entry'

const URL = 'https://app.example.com/mcp'
const set = (text: string, entry: Record<string, unknown> = { type: 'http', url: URL }) =>
  setJsonEntry(text, 'servers', 'fairway', entry)

describe('setJsonEntry', () => {
  it('creates the file content when it is empty', () => {
    expect(JSON.parse(set(''))).toEqual({ servers: { fairway: { type: 'http', url: URL } } })
    expect(set('').endsWith('}\n')).toBe(true)
  })

  it('keeps comments, order, tabs and other entries byte for byte', () => {
    const before = `// written by hand
{
\t"inputs": [ { "id": "key" } ], // kept
\t"servers": {
\t\t/* the old one */
\t\t"github": { "type": "http", "url": "https://api.example.com" } // last
\t}
}
`
    const after = set(before)
    expect(after).toBe(`// written by hand
{
\t"inputs": [ { "id": "key" } ], // kept
\t"servers": {
\t\t/* the old one */
\t\t"github": { "type": "http", "url": "https://api.example.com" }, // last
\t\t"fairway": {
\t\t\t"type": "http",
\t\t\t"url": "${URL}"
\t\t}
\t}
}
`)
    expect(set(after)).toBe(after)
  })

  it('adds a missing section, also after a trailing comma', () => {
    expect(set('{\n  "theme": "dark",\n}')).toBe(
      `{\n  "theme": "dark",\n  "servers": {\n    "fairway": {\n      "type": "http",\n      "url": "${URL}"\n    }\n  },\n}`,
    )
    expect(JSON.parse(set('{}'))).toEqual({ servers: { fairway: { type: 'http', url: URL } } })
    expect(JSON.parse(set('{"servers":{}}'))).toEqual({ servers: { fairway: { type: 'http', url: URL } } })
  })

  it('keeps Windows line endings and an indentation of four', () => {
    const after = set('{\r\n    "a": 1\r\n}\r\n')
    expect(after.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    expect(after).toContain('\r\n        "fairway": {\r\n            "type"')
  })

  it('changes only the address and keeps other properties of the entry', () => {
    const before = `{ "servers": { "fairway": { "url": "https://old.example.com/mcp", "headers": { "X": "1" } } } }`
    expect(JSON.parse(set(before))).toEqual({
      servers: { fairway: { type: 'http', url: URL, headers: { X: '1' } } },
    })
  })

  it('replaces a command entry with an address entry', () => {
    const before = `{ "servers": { "fairway": { "command": "node", "args": ["x"] } } }`
    expect(JSON.parse(set(before))).toEqual({ servers: { fairway: { type: 'http', url: URL } } })
  })

  it.each([
    ['{"a": 1', 'line 1'],
    ['{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3'],
    ['[]', 'no JSON object'],
    ['{"servers": []}', 'no object'],
    ['{"a": 1} trailing', 'line 1'],
    ['{"a": "no end\n"}', 'line 1'],
    [`${'['.repeat(300)}`, 'line 1'],
  ])('throws a syntax error for invalid content: %j', (text, reason) => {
    expect(() => set(text)).toThrow(SyntaxError)
    expect(() => set(text)).toThrow(reason)
  })

  it('uses the last value of a duplicate key, as programs do', () => {
    const before = `{"servers": {"fairway": {"url": "a"}, "fairway": {"type": "http", "url": "${URL}"}}}`
    expect(set(before)).toBe(before)
  })
})
