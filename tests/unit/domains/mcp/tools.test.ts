import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AppError, defineAction } from '#fw'
import { auditLog } from '#fairway/server/schema'
import { type McpApplication, startMcpApplication } from '../../../fixtures/mcp/application'
import { faultsOfSchemas, validatorsOf } from '../../../support/json-schema'
import { connectEarlierHost, connectHost, sendMessage } from '../../../support/mcp'

const input = z.object({})
let wasAborted = false
const actions = {
  'read-date': defineAction({
    description: 'Reads.',
    readOnly: true,
    input,
    output: z.object({ day: z.string() }),
    run: () => ({ day: '2026-11-21' }),
  }),
  'list-numbers': defineAction({
    description: 'Lists.',
    readOnly: true,
    input,
    output: z.array(z.number()),
    run: () => [1, 2],
  }),
  'write-note': defineAction({
    description: 'Writes.',
    input: z.object({ title: z.string().min(3) }),
    run: ({ title }, { session, orgId, caller }) => ({ title, email: session.email, orgId, caller }),
  }),
  'drop-note': defineAction({ description: 'Loses.', destructive: true, input, run: () => ({}) }),
  'refuse-note': defineAction({
    description: 'Refuses.',
    input,
    run: () => {
      throw new AppError('conflict', { detail: 'The other one was first.' })
    },
  }),
  'break-note': defineAction({
    description: 'Breaks.',
    readOnly: true,
    input,
    run: () => {
      throw new Error('SELECT secret FROM users at /srv/app.ts:1')
    },
  }),
  'guarded-note': defineAction({ description: 'Guarded.', readOnly: true, input, guard: () => false, run: () => ({}) }),
  'slow-note': defineAction({
    description: 'Waits.',
    readOnly: true,
    timeout: 1,
    input: z.object({ seconds: z.number() }),
    run: ({ seconds }, { signal }) =>
      new Promise<object>(resolve => {
        signal.addEventListener('abort', () => (wasAborted = true))
        setTimeout(() => resolve({}), seconds * 1000)
      }),
  }),
  'small-note': defineAction({
    description: 'Takes little.',
    readOnly: true,
    maxBodyBytes: 100,
    input: z.object({ text: z.string() }),
    run: ({ text }) => ({ length: text.length }),
  }),
  'place-note': defineAction({
    description: 'Uses what the drafts of JSON Schema write differently.',
    readOnly: true,
    input: z.object({
      at: z.tuple([z.string(), z.number()]),
      path: z.tuple([z.string()]).rest(z.number()).optional(),
      kind: z.enum(['a', 'b']).nullable().optional(),
      tags: z.record(z.string(), z.number()).optional(),
    }),
    output: z.object({ at: z.tuple([z.string(), z.number()]) }),
    run: ({ at }) => ({ at }),
  }),
  'union-note': defineAction({
    description: 'Takes and answers one of several kinds.',
    readOnly: true,
    input: z.object({
      text: z.string().nullable().describe('May be left out.'),
      either: z.union([z.string(), z.number(), z.null()]).optional(),
      type: z.array(z.boolean().nullable()).optional(),
      place: z.tuple([z.string().nullable(), z.number()]).optional(),
      named: z
        .record(
          z.string(),
          z.lazy(() => z.string().nullable()),
        )
        .optional(),
      default: z.string().nullish().default(null),
      own: z
        .unknown()
        .optional()
        .meta({ anyOf: [{ minLength: 1 }], type: ['string', 'null'], examples: [{ type: ['a'] }] }),
    }),
    output: z.object({ text: z.string().nullable(), deep: z.object({ at: z.string().nullable() }).nullable() }),
    run: ({ text }) => ({ text, deep: { at: null } }),
  }),
  'dialect-note': defineAction({
    description: 'Names its draft.',
    readOnly: true,
    input: input.meta({ $schema: 'https://json-schema.org/draft/2020-12/schema' }),
    run: () => ({}),
  }),
  'hidden-note': defineAction({ description: 'Is no tool.', mcp: false, input, run: () => ({}) }),
}

let application: McpApplication
beforeAll(async () => {
  application = await startMcpApplication({
    declared: {
      actions: Object.entries(actions).map(([name, action]) => ({ name, group: 'test', action })),
      resources: [],
      prompts: [],
      apps: [],
    },
  })
})
afterAll(() => application.close())

const call = async (name: string, args: Record<string, unknown> = {}) => {
  const host = await connectHost(application.origin)
  return host.callTool({ name, arguments: args })
}

describe('MCP tool', () => {
  it('contains the schemas and annotations of its action', async () => {
    const { tools } = await (await connectHost(application.origin)).listTools()
    expect(tools.map(tool => tool.name)).not.toContain('hidden-note')
    const byName = new Map(tools.map(tool => [tool.name, tool]))
    expect(byName.get('read-date')).toMatchObject({
      title: 'Read date',
      description: 'Reads.',
      inputSchema: { type: 'object' },
      outputSchema: { type: 'object', required: ['day'] },
      annotations: { title: 'Read date', readOnlyHint: true, destructiveHint: false, idempotentHint: true },
    })
    expect(byName.get('drop-note')?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true })
    expect(byName.get('write-note')?.inputSchema).toMatchObject({
      properties: { title: { type: 'string', minLength: 3 } },
    })
  })

  it.each([
    ['draft-07', validatorsOf.draft07],
    ['2020-12', validatorsOf.draft2020],
  ])('has schemas that a validator of %s interprets the same way', async (_draft, validator) => {
    const { tools } = await (await connectHost(application.origin)).listTools()
    const neutral = tools.filter(({ name }) => name !== 'dialect-note')
    expect(faultsOfSchemas(neutral, validator)).toEqual([])
    const place = tools.find(({ name }) => name === 'place-note')
    const accepts = validator.compile({ ...place?.inputSchema })
    expect(accepts({ at: ['x', 1], path: ['a', 1, 2], kind: null, tags: { a: 1 } })).toBe(true)
    expect(accepts({ at: ['x', 1, 2] })).toBe(false)
    expect(accepts({ at: ['x', true] })).toBe(false)
    expect(validator.compile({ ...place?.outputSchema })({ at: ['x', 1] })).toBe(true)
  })

  it.each([
    ['2026-07-28', connectHost],
    ['2025-11-25', connectEarlierHost],
  ])('has a single type in each schema for hosts of %s', async (_revision, connect) => {
    const { tools } = await (await connect(application.origin)).listTools()
    const [{ inputSchema, outputSchema } = { inputSchema: {} }, ...others] = [
      ...tools.filter(({ name }) => name === 'union-note'),
      ...tools.filter(({ name }) => name !== 'union-note'),
    ]
    expect(JSON.stringify(others)).not.toContain('"type":[')
    const text = { anyOf: [{ type: 'string' }, { type: 'null' }] }
    expect(inputSchema).toMatchObject({
      properties: {
        text: { ...text, description: 'May be left out.' },
        either: { anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'null' }] },
        type: { type: 'array', items: { anyOf: [{ type: 'boolean' }, { type: 'null' }] } },
        place: { items: { anyOf: [text, { type: 'number' }] } },
        named: { additionalProperties: text },
        default: { ...text, default: null },
        own: { anyOf: [{ minLength: 1 }], allOf: [text], examples: [{ type: ['a'] }] },
      },
    })
    expect(outputSchema).toMatchObject({ properties: { text, deep: { anyOf: [{ properties: { at: text } }, {}] } } })
    expect(JSON.stringify(inputSchema).match(/"type":\[/g)).toHaveLength(1)
    const accepts = validatorsOf.draft07.compile({ ...inputSchema })
    expect([null, 'a', 1].map(value => accepts({ text: value, own: value }))).toEqual([true, true, false])
  })

  it('names a schema draft only when its author does', async () => {
    const { tools } = await (await connectHost(application.origin)).listTools()
    const named = tools.filter(({ inputSchema, outputSchema }) => inputSchema.$schema ?? outputSchema?.$schema)
    expect(named.map(({ name }) => name)).toEqual(['dialect-note'])
  })

  it('returns structured data and the same data as text', async () => {
    expect(await call('read-date')).toMatchObject({
      structuredContent: { day: '2026-11-21' },
      content: [{ type: 'text', text: '{"day":"2026-11-21"}' }],
    })
  })

  it('returns a list to hosts of both revisions, each in its own form', async () => {
    expect((await call('list-numbers')).structuredContent).toEqual([1, 2])
    const earlier = await connectEarlierHost(application.origin)
    await earlier.listTools()
    expect((await earlier.callTool({ name: 'list-numbers', arguments: {} })).structuredContent).toEqual({
      result: [1, 2],
    })
  })

  it('runs as the token’s account in its organization and writes an audit row', async () => {
    const result = await call('write-note', { title: 'Plan' })
    expect(result.structuredContent).toMatchObject({ title: 'Plan', email: 'owner@example.test', caller: 'mcp' })
    const rows = await application.app.db.orm.select().from(auditLog).where(eq(auditLog.action, 'write-note'))
    expect(rows).toMatchObject([{ caller: 'mcp', userEmail: 'owner@example.test', outcome: 'ok' }])
    expect(rows[0]?.orgId).toBe((result.structuredContent as { orgId: string }).orgId)
  })
})

describe('failed tool call', () => {
  it('returns a protocol error for an unknown tool', async () => {
    await expect(call('nothing')).rejects.toMatchObject({ code: -32_602 })
    await expect(call('hidden-note')).rejects.toMatchObject({ code: -32_602 })
    await expect(call('__proto__')).rejects.toMatchObject({ code: -32_602 })
  })

  it.each([
    ['write-note', { title: 'x' }, 'invalid-input', 'title'],
    ['write-note', {}, 'invalid-input', 'title'],
    ['refuse-note', {}, 'conflict', 'The other one was first.'],
    ['guarded-note', {}, 'forbidden', 'You are not allowed'],
    ['small-note', { text: 'x'.repeat(200) }, 'payload-too-large', 'too large'],
    ['slow-note', { seconds: 5 }, 'timed-out', 'too long'],
  ])('returns a result that a model can read: %s %j', async (name, args, code, text) => {
    const result = await call(name, args)
    expect(result).toMatchObject({ isError: true, _meta: { 'fairway/error': { code } } })
    expect(JSON.stringify(result.content)).toContain(text)
    expect(JSON.stringify(result.content)).toContain(code)
  })

  it('hides the details of unexpected errors and returns the request id of the log entry', async () => {
    const result = await call('break-note')
    expect(result.isError).toBe(true)
    expect(JSON.stringify(result)).toMatch(/internal, request test/)
    expect(JSON.stringify(result)).not.toMatch(/SELECT|secret|srv/)
    expect(JSON.stringify(application.lines())).toContain('SELECT secret')
  })

  it('is aborted when the host disconnects', async () => {
    wasAborted = false
    const gone = new AbortController()
    const sent = sendMessage(
      application.origin,
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'slow-note', arguments: { seconds: 0.9 } } },
      {},
      { signal: gone.signal },
    )
    setTimeout(() => gone.abort(), 150)
    await expect(sent).rejects.toThrow()
    await expect.poll(() => wasAborted, { timeout: 600 }).toBe(true)
  })
})
