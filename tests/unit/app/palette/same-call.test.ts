import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { cliCall, curlCall } from '#fairway/app/palette/same-call'

/** The words that a shell makes of the line after its environment and its program. */
function shellWords(line: string, program: string): string[] {
  const script = `${program}() { printf '%s\\0' "$@"; }\n${line}`
  return execFileSync('sh', ['-c', script]).toString().split('\0').slice(0, -1)
}

describe('the same call', () => {
  it('reaches the command line as it was typed, whatever it holds', () => {
    const input = { title: `It's "late" $HOME \`date\``, count: 2, isDone: true, tags: ['a b', 'c'] }
    expect(shellWords(cliCall('create-note', input).replace('AUTH_MODE=local ', ''), 'npx')).toEqual([
      'fw',
      'action',
      'create-note',
      `--title=${input.title}`,
      '--count=2',
      '--isDone=true',
      '--tags=a b',
      '--tags=c',
    ])
  })

  it.each([
    ['an object', { filter: { a: 1 } }],
    ['an empty list', { tags: [] }],
    ['null', { parent: null }],
    ['a name that the command has itself', { help: 'x' }],
  ])('is one JSON text on the command line for %s', (_name, input) => {
    const words = shellWords(cliCall('act', input).replace('AUTH_MODE=local ', ''), 'npx')
    expect(words).toEqual(['fw', 'action', 'act', `--json=${JSON.stringify(input)}`])
  })

  it('reaches curl as JSON from the same origin, with the session from a file', () => {
    const input = { title: `It's late` }
    const words = shellWords(curlCall('https://fairway.test', 'ada@example.test', 'create-note', input), 'curl')
    expect(words).toContain('https://fairway.test/_fw/actions/create-note')
    expect(words).toContain('Origin: https://fairway.test')
    expect(words.at(-1)).toBe(JSON.stringify(input))
  })
})
