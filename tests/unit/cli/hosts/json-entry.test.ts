import { describe, expect, it } from 'vitest'
import { setJsonEntry } from '#fairway/cli/hosts/json-entry'

const URL = 'https://app.example.com/mcp'
const set = (text: string, entry: Record<string, unknown> = { type: 'http', url: URL }) =>
  setJsonEntry(text, 'servers', 'fairway', entry)

describe('a file of a host', () => {
  it('is made when there is none', () => {
    expect(JSON.parse(set(''))).toEqual({ servers: { fairway: { type: 'http', url: URL } } })
    expect(set('').endsWith('}\n')).toBe(true)
  })

  it('keeps comments, order, tabs, and what others have added, byte for byte', () => {
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

  it('gets the section where it has none, after a trailing comma too', () => {
    expect(set('{\n  "theme": "dark",\n}')).toBe(
      `{\n  "theme": "dark",\n  "servers": {\n    "fairway": {\n      "type": "http",\n      "url": "${URL}"\n    }\n  },\n}`,
    )
    expect(JSON.parse(set('{}'))).toEqual({ servers: { fairway: { type: 'http', url: URL } } })
    expect(JSON.parse(set('{"servers":{}}'))).toEqual({ servers: { fairway: { type: 'http', url: URL } } })
  })

  it('keeps Windows line ends and an indent of four', () => {
    const after = set('{\r\n    "a": 1\r\n}\r\n')
    expect(after.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
    expect(after).toContain('\r\n        "fairway": {\r\n            "type"')
  })

  it('keeps what the person has added to the entry, and changes the address only', () => {
    const before = `{ "servers": { "fairway": { "url": "https://old.example.com/mcp", "headers": { "X": "1" } } } }`
    expect(JSON.parse(set(before))).toEqual({
      servers: { fairway: { type: 'http', url: URL, headers: { X: '1' } } },
    })
  })

  it('replaces a command by an address whole', () => {
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
  ])('is refused when it is broken: %j', (text, reason) => {
    expect(() => set(text)).toThrow(SyntaxError)
    expect(() => set(text)).toThrow(reason)
  })

  it('reads a key that is there twice as programs do', () => {
    const before = `{"servers": {"fairway": {"url": "a"}, "fairway": {"type": "http", "url": "${URL}"}}}`
    expect(set(before)).toBe(before)
  })
})
