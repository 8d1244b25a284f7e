import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { setYamlEntry } from '#fairway/cli/hosts/set-yaml-entry'

const path = ['extensions', 'fairway'] as const
const entry = { enabled: true, type: 'http', uri: 'https://app.example.com/mcp' }
const set = (text: string) => setYamlEntry(text, path, { entry, defaults: { timeout: 300 } })
const added = `  fairway:
    enabled: true
    type: http
    uri: https://app.example.com/mcp
    timeout: 300
`

describe('setYamlEntry', () => {
  it('writes the entry into a file that is empty or has only comments', () => {
    expect(set('')).toBe(`extensions:\n${added}`)
    expect(set('# mine\n')).toBe(`# mine\n\nextensions:\n${added}`)
    expect(set('a: 1\nextensions:\n')).toBe(`a: 1\nextensions:\n${added}`)
  })

  it.each([
    ['of a program', 'extensions:\n  other:\n    args:\n    - -y\n    - a very long argument '.padEnd(120, 'x') + '\n'],
    ['of a person', '# mine\na: "1" # one\n\nextensions:\n  # the other\n  other:\n    args:\n      - -y\n'],
    ['with four spaces', 'extensions:\n    other:\n        enabled: true\n'],
  ])('keeps all other content in a file %s', (_, text) => {
    const indent = /\n( +)\S/.exec(text)?.[1] === '    ' ? added.replaceAll('  ', '    ') : added
    expect(set(text)).toBe(text + indent)
  })

  it('keeps Windows line endings', () => {
    expect(set('a: 1\r\n')).toBe(`a: 1\nextensions:\n${added}`.replaceAll('\n', '\r\n'))
  })

  it('changes only different values of an entry, and nothing on a second run', () => {
    const mine = `extensions:\n  fairway:\n    uri: 'https://app.example.com/mcp' # mine\n    timeout: 600\n    type: http\n    enabled: false\nb: 2\n`
    expect(set(mine)).toBe(mine.replace('enabled: false', 'enabled: true'))
    expect(set(set(mine))).toBe(set(mine))
  })

  it('replaces an entry of another type', () => {
    const stdio = 'extensions:\n  fairway:\n    type: stdio\n    cmd: npx\n    args: [-y]\n'
    expect(parse(set(stdio))).toEqual({ extensions: { fairway: { ...entry, timeout: 300 } } })
  })

  it.each(['a: [', 'a: 1\na: 2\n', '- 1\n', 'extensions: [1]\n', 'a: 1\n---\nb: 2\n'])('refuses %j', text => {
    expect(() => set(text)).toThrow(SyntaxError)
  })
})
