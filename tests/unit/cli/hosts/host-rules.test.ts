import { describe, expect, it } from 'vitest'
import { reportOf } from '#fairway/cli/hosts/check-hosts'
import { type Effect, HOST_RULES, RECORDED_HOSTS } from '#fairway/cli/hosts/host-rules'
import type { ServerTools } from '#fairway/cli/hosts/tool-traits'
import { RECORDED_HOST_IDS, type RecordedHostId } from '#fairway/cli/names'
import { isRecord } from '#fairway/shared/record'
import recordings from '../../../hosts/recorded-tools.json' with { type: 'json' }
import { unusualTools } from '../../../hosts/unusual-tools'

type Tool = ServerTools['tools'][number]

const server = (...tools: Tool[]): ServerTools => ({ server: 'fairway', title: 'Fairway', tools })
const found = (host: RecordedHostId, effect: Effect, of: ServerTools): (string | undefined)[] =>
  reportOf(host, of)
    .findings.filter(finding => finding.effect === effect)
    .flatMap(finding => finding.found.map(({ tool }) => tool))
    .toSorted()

interface Sent {
  as: string
  description?: number
  schema?: Record<string, unknown>
}
const recorded = Object.entries(recordings).map(([host, { recorded: day, tools }]) => {
  const sent = new Map<string, Sent>(Object.entries(tools))
  const namesWhere = (is: (tool: Tool, sent: Sent | undefined) => boolean) =>
    unusualTools.filter(tool => is(tool, sent.get(tool.name))).map(({ name }) => name)
  return { host: RECORDED_HOST_IDS.find(id => id === host) ?? 'codex', day, namesWhere }
})
const PREFIXES: Partial<Record<RecordedHostId, string>> = {
  'claude-code': 'mcp__fairway__',
  codex: 'mcp__fairway',
  gemini: 'mcp_fairway_',
  copilot: 'fairway-',
}
const described = (schema: Record<string, unknown>): boolean => JSON.stringify(schema).includes('"description":')

describe.each(recorded)('the rules for $host agree with the recording of $day', ({ host, day, namesWhere }) => {
  const all = server(...unusualTools)

  it('about the tools that are hidden', () => {
    expect(found(host, 'hides', all)).toEqual(namesWhere((_, sent) => sent === undefined).toSorted())
    expect(reportOf(host, all).arrive).toBe(namesWhere((_, sent) => sent !== undefined).length)
  })

  it('about the tools that are renamed', () => {
    const renamed = namesWhere(({ name }, sent) => sent !== undefined && sent.as !== `${PREFIXES[host]}${name}`)
    const hidden = new Set(found(host, 'hides', all))
    const expected = found(host, 'renames', all).filter(name => !hidden.has(name))
    expect([...new Set(expected)]).toEqual(renamed.toSorted())
  })

  it('about texts that are cut', () => {
    const cut = namesWhere(({ description = '', inputSchema }, sent) => {
      const isShorter = (sent?.description ?? Infinity) <= description.length || (sent?.description ?? 0) > 4096
      return isShorter || (sent?.schema !== undefined && described(inputSchema) && !described(sent.schema))
    })
    expect(found(host, 'cuts', all)).toEqual(cut.toSorted())
  })

  it('about unions at the top of an input', () => {
    const united = ({ inputSchema }: Tool, sent: Sent | undefined) =>
      ['anyOf', 'oneOf', 'allOf'].some(keyword => keyword in inputSchema && sent?.schema && !(keyword in sent.schema))
    expect(found(host, 'rewrites', all)).toEqual(namesWhere(united).toSorted())
  })

  it('was made on the day that the rules name', () => {
    expect(HOST_RULES.filter(rule => rule.host === host).map(rule => rule.recorded)).toContain(day)
  })
})

it('the limits of fields are missing in what Codex sends', () => {
  const sent = recordings.codex.tools.limits.schema.properties
  expect(Object.values(sent).flatMap(field => (isRecord(field) ? Object.keys(field) : []))).toEqual(['type', 'type'])
  const limits = unusualTools.find(({ name }) => name === 'limits')
  const { findings } = reportOf('codex', server(...(limits ? [limits] : [])))
  expect(findings.find(({ effect }) => effect === 'ignores')?.found).toEqual([
    { tool: 'limits', detail: 'pattern, default, minLength, minimum' },
  ])
})

const tool = (name: string, properties: Record<string, unknown> = {}, more: Partial<Tool> = {}): Tool => ({
  name,
  inputSchema: { type: 'object', properties },
  ...more,
})
const hints = (readOnlyHint: boolean, destructiveHint = false) => ({ annotations: { readOnlyHint, destructiveHint } })
const text = { type: 'string' }
const many = (count: number) => Array.from({ length: count }, (_, index) => tool(`tool-${index}`))
const twins = ['one', 'two'].map(end => tool(`${'x'.repeat(60)}-${end}`))

describe('the rules for hosts that were read or reported', () => {
  it.each<[RecordedHostId, Effect, string, Tool[], Tool[]]>([
    ['claude', 'refuses', 'a name of 65 characters', [tool('x'.repeat(65))], [tool('x'.repeat(64))]],
    ['claude', 'refuses', 'a dot in a name', [tool('a.b')], [tool('a-b_c')]],
    [
      'chatgpt',
      'refuses',
      'a list of items',
      [tool('a', { b: { type: 'array', items: [text] } })],
      [tool('a', { b: { type: 'array', items: text } })],
    ],
    [
      'vscode',
      'refuses',
      'an array without items, deep in the input',
      [tool('a', { b: { type: 'object', properties: { c: { type: 'array' } } } })],
      [tool('a', { type: { type: 'string', enum: ['array'], default: { type: 'array' } } })],
    ],
    [
      'vscode',
      'hides',
      'an unknown type',
      [tool('a', { b: { type: 'text' } })],
      [tool('a', { b: { type: ['string', 'null'] } })],
    ],
    ['vscode', 'hides', 'names that are equal after 64 characters', twins, twins.slice(1)],
    ['vscode', 'groups', '129 tools', many(129), many(128)],
    ['vscode', 'renames', 'a full name of 65 characters', [tool('x'.repeat(53))], [tool('x'.repeat(52))]],
    [
      'vscode',
      'rewrites',
      'a condition at the top',
      [{ ...tool('a'), inputSchema: { type: 'object', not: {} } }],
      [tool('not')],
    ],
    ['vscode', 'asks', 'a tool that writes', [tool('a', {}, hints(false))], [tool('a', {}, hints(true))]],
    ['codex', 'asks', 'a destructive tool', [tool('a', {}, hints(false, true))], [tool('a', {}, hints(false))]],
  ])('%s %s %s', (host, effect, _what, tripping, others) => {
    const effects = (tools: Tool[]) => reportOf(host, server(...tools)).findings.map(finding => finding.effect)
    expect(effects(tripping)).toContain(effect)
    expect(effects(others)).not.toContain(effect)
  })

  it('a refusal keeps all tools away', () => {
    expect(reportOf('claude', server(tool('fine'), tool('a.b'))).arrive).toBe(0)
  })

  it('long instructions are cut by Claude Code', () => {
    const cut = (length: number) => reportOf('claude-code', { ...server(), instructions: 'x'.repeat(length) }).findings
    expect(cut(4097)).toMatchObject([{ effect: 'cuts', found: [{ detail: '4097 characters' }] }])
    expect(cut(4096)).toEqual([])
  })

  it('each name their day and their source, and each host has rules', () => {
    expect(
      HOST_RULES.filter(({ recorded: day, source }) => !/^\d{4}-\d\d-\d\d$/.test(day) || source.length < 10),
    ).toEqual([])
    expect([...new Set(HOST_RULES.map(({ host }) => host))]).toEqual(Object.keys(RECORDED_HOSTS))
  })
})
