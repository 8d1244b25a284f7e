import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { cliCall, composableCall, curlCall, mcpCall } from '#fairway/app/tools/same-call'

/** The arguments that a shell parses from a command line, after its environment variables and its program. */
function shellWords(line: string, program: string): string[] {
  const script = `${program}() { printf '%s\\0' "$@"; }\n${line}`
  return execFileSync('sh', ['-c', script]).toString().split('\0').slice(0, -1)
}

describe('generated calls', () => {
  it('pass quotes and other shell characters unchanged on the command line', () => {
    const input = { title: `It's "late" $HOME \`date\``, count: 2, isDone: true, tags: ['a b', 'c'] }
    expect(
      shellWords(cliCall({ name: 'create-note', input, secrets: [] }).replace('AUTH_MODE=local ', ''), 'npx'),
    ).toEqual([
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
  ])('use one JSON argument on the command line for %s', (_name, input) => {
    const words = shellWords(cliCall({ name: 'act', input, secrets: [] }).replace('AUTH_MODE=local ', ''), 'npx')
    expect(words).toEqual(['fw', 'action', 'act', `--json=${JSON.stringify(input)}`])
  })

  it('send JSON through curl with an API token from the environment', () => {
    const input = { title: `It's late` }
    const call = { name: 'create-note', input, secrets: [] }
    const words = shellWords(`FW_TOKEN=fwp_1\n${curlCall('https://fairway.test', call)}`, 'curl')
    expect(words).toContain('https://fairway.test/_fw/actions/create-note')
    expect(words).toContain('Authorization: Bearer fwp_1')
    expect(words.at(-1)).toBe(JSON.stringify(input))
  })

  it('include an MCP message for hosts and a composable call for pages', () => {
    const call = { name: 'create-note', input: { title: `It's "late"`, tags: ['a'] }, secrets: [] }
    expect(JSON.parse(mcpCall(call))).toEqual({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'create-note', arguments: call.input },
    })
    const body = composableCall(call)
      .replace(/useAction\(.*\)/, 'use()')
      .replace('await run', 'run')
    const run = (input: unknown) => input
    // The displayed code must be a program that sends exactly this input.
    const result: unknown = new Function('use', `${body}; return result`)(() => ({ run }))
    expect(result).toEqual(call.input)
  })
})

describe('secrets in generated calls', () => {
  const input = { user: 'ada', apiKey: 'hunter2', note: `it's` }
  const call = { name: 'connect', input, secrets: ['apiKey'] }

  it.each([
    ['curl', curlCall('https://fairway.test', call)],
    ['the command line', cliCall(call)],
    ['the command line as JSON', cliCall({ ...call, input: { ...input, deep: {} } })],
    ['a host', mcpCall(call)],
    ['a page', composableCall(call)],
  ])('are never shown to %s', (_way, text) => {
    expect(text).not.toContain('hunter2')
    expect(text).toMatch(/\$API_KEY|apiKey,/)
  })

  it('are read from environment variables', () => {
    const line = (text: string) => `API_KEY='k "1"'\n${text}`
    expect(shellWords(line(cliCall(call).replace('AUTH_MODE=local ', '')), 'npx').slice(3)).toEqual([
      '--user=ada',
      '--apiKey=k "1"',
      `--note=it's`,
    ])
    const plain = line(curlCall('https://fairway.test', call)).replace('k "1"', 'k1')
    const words = shellWords(plain, 'curl')
    expect(JSON.parse(words.at(-1) ?? '')).toEqual({ ...input, apiKey: 'k1' })
  })
})
