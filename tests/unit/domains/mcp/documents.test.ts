import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { AppError, defineAction, defineMcpApp, defineMcpPrompt, defineMcpResource } from '#fw'
import { createSurface } from '#fairway/server/domains/mcp/surface'
import { type McpApplication, startMcpApplication } from '../../../fixtures/mcp/application'
import { connectEarlierHost, connectHost } from '../../../support/mcp'

const html = '<!doctype html><html lang="en"><body>Notes</body></html>'
const action = defineAction({ description: 'Lists.', readOnly: true, input: z.object({}), run: () => ({}) })
const note = defineMcpResource({
  uri: 'notes://note/{id}',
  title: 'A note',
  mimeType: 'text/markdown',
  read({ id = '' }, { session, caller }) {
    if (id === 'none') throw new AppError('not-found')
    if (id === 'broken') throw new Error('SELECT secret')
    return `${id} of ${session.email} by ${caller}`
  },
  list: () => [{ uri: 'notes://note/n1', title: 'Plan' }],
  complete: { id: typed => Array.from({ length: 150 }, (_, index) => `${typed}${index}`) },
})
const about = defineMcpResource({
  uri: 'notes://about',
  title: 'About',
  description: 'What this is.',
  mimeType: 'application/json',
  read: () => ({ name: 'Notes' }),
})
const summary = defineMcpPrompt({
  title: 'Summary',
  description: 'Sums up.',
  args: z.object({ subject: z.string().min(2).describe('What about.'), style: z.string().default('short') }),
  complete: { style: (typed, _context, values) => [`${typed}-${values.subject ?? 'none'}`] },
  build: ({ subject, style }, { session }) => `Sum up ${subject}, ${style}, for ${session.name}.`,
})
const page = defineMcpApp({ title: 'Notes', tools: ['list-notes'], html })

let application: McpApplication
beforeAll(async () => {
  application = await startMcpApplication({
    declared: {
      actions: [{ name: 'list-notes', group: 'test', action }],
      resources: [
        { name: 'note', declaration: note },
        { name: 'about', declaration: about },
      ],
      prompts: [{ name: 'summary', declaration: summary }],
      apps: [{ name: 'notes', declaration: page }],
    },
  })
})
afterAll(() => application.close())

describe('MCP resources', () => {
  it('are listed in both revisions: declared ones, those of templates, and app pages', async () => {
    for (const host of [await connectHost(application.origin), await connectEarlierHost(application.origin)]) {
      expect((await host.listResources()).resources.map(({ uri, name }) => [uri, name])).toEqual([
        ['notes://about', 'about'],
        ['notes://note/n1', 'note'],
        ['ui://app/notes', 'notes'],
      ])
      const { resourceTemplates } = await host.listResourceTemplates()
      expect(resourceTemplates).toMatchObject([{ uriTemplate: 'notes://note/{id}', mimeType: 'text/markdown' }])
    }
  })

  it('are read as the token’s account, with text and JSON content', async () => {
    const host = await connectHost(application.origin)
    expect((await host.readResource({ uri: 'notes://note/n%201' })).contents).toMatchObject([
      { uri: 'notes://note/n%201', mimeType: 'text/markdown', text: 'n 1 of owner@example.test by mcp' },
    ])
    expect((await host.readResource({ uri: 'notes://about' })).contents).toMatchObject([{ text: '{"name":"Notes"}' }])
  })

  it.each(['notes://note/none', 'notes://other', 'ui://app/other', 'file:///etc/passwd', 'notes://note/a/b'])(
    'return an error when they are missing: %s',
    async uri => {
      const host = await connectHost(application.origin)
      await expect(host.readResource({ uri })).rejects.toMatchObject({ code: -32_602, data: { uri } })
    },
  )

  it('hide the details of unexpected errors', async () => {
    const host = await connectHost(application.origin)
    const failed = await host.readResource({ uri: 'notes://note/broken' }).catch((error: Error) => error)
    expect(failed).toMatchObject({ code: -32_603, data: { code: 'internal', requestId: 'test' } })
    expect(String(failed)).not.toContain('secret')
  })

  it('are completed with at most a hundred values', async () => {
    const host = await connectHost(application.origin)
    const ref = { type: 'ref/resource' as const, uri: 'notes://note/{id}' }
    const { completion } = await host.complete({ ref, argument: { name: 'id', value: 'n' } })
    expect([completion.values.length, completion.total, completion.hasMore]).toEqual([100, 150, true])
    for (const name of ['__proto__', 'constructor', 'toString'])
      expect((await host.complete({ ref, argument: { name, value: 'n' } })).completion).toEqual({ values: [] })
    const unknown = host.complete({ ref: { ...ref, uri: 'notes://x' }, argument: { name: 'id', value: '' } })
    await expect(unknown).rejects.toMatchObject({ code: -32_602 })
  })
})

describe('MCP prompts', () => {
  it('are listed with their arguments, built and completed', async () => {
    const host = await connectHost(application.origin)
    expect((await host.listPrompts()).prompts).toMatchObject([
      {
        name: 'summary',
        title: 'Summary',
        arguments: [
          { name: 'subject', description: 'What about.', required: true },
          { name: 'style', required: false },
        ],
      },
    ])
    const { messages } = await host.getPrompt({ name: 'summary', arguments: { subject: 'boats' } })
    expect(messages).toEqual([{ role: 'user', content: { type: 'text', text: 'Sum up boats, short, for Owner.' } }])
    const ref = { type: 'ref/prompt' as const, name: 'summary' }
    const params = { ref, argument: { name: 'style', value: 's' }, context: { arguments: { subject: 'boats' } } }
    expect((await host.complete(params)).completion.values).toEqual(['s-boats'])
  })

  it('are rejected with the invalid arguments', async () => {
    const host = await connectHost(application.origin)
    const short = host.getPrompt({ name: 'summary', arguments: { subject: 'b' } })
    await expect(short).rejects.toMatchObject({ code: -32_602, data: { errors: [{ path: 'subject' }] } })
    await expect(host.getPrompt({ name: 'nothing' })).rejects.toMatchObject({ code: -32_602 })
  })
})

describe('MCP app pages', () => {
  it('belong to their tools and are returned unchanged', async () => {
    const host = await connectHost(application.origin)
    const { tools } = await host.listTools()
    expect(tools[0]?._meta).toMatchObject({ ui: { resourceUri: 'ui://app/notes' } })
    const [content] = (await host.readResource({ uri: 'ui://app/notes' })).contents
    expect(content).toMatchObject({ mimeType: 'text/html;profile=mcp-app', text: html })
  })
})

describe('MCP definitions', () => {
  const read = () => ''
  it.each([
    [() => defineMcpResource({ uri: 'notes', title: 'x', mimeType: 'text/plain', read }), 'uri'],
    [() => defineMcpResource({ uri: 'ui://x', title: 'x', mimeType: 'text/plain', read }), 'uri'],
    [() => defineMcpResource({ uri: 'https://x.example', title: 'x', mimeType: 'text/plain', read }), 'uri'],
    [() => defineMcpResource({ uri: 'notes://x', title: '', mimeType: 'text/plain', read }), 'title'],
    [() => defineMcpResource({ uri: 'notes://x', title: 'x', mimeType: 'plain', read }), 'mimeType'],
    [
      () => defineMcpResource({ uri: 'notes://x', title: 'x', mimeType: 'text/plain', read, list: () => [] }),
      'template',
    ],
    [() => defineMcpPrompt({ title: 'x', description: '', build: read }), 'description'],
    [() => defineMcpPrompt({ title: 'x', description: 'x', complete: { a: () => [] }, build: read }), 'no argument a'],
    [() => defineMcpApp({ title: 'x', tools: [], html }), 'tools'],
    [() => defineMcpApp({ title: 'x', tools: ['a'], html: '<p>x</p>' }), 'html'],
    [
      () =>
        defineMcpApp({
          title: 'x',
          tools: ['a'],
          html: '<html><script src="https://cdn.example/x.js"></script></html>',
        }),
      'html',
    ],
    [
      () =>
        createSurface(
          {
            actions: [],
            resources: [],
            prompts: [],
            apps: [{ name: 'notes', declaration: page }],
          },
          '',
        ),
      'no tool list-notes',
    ],
  ])('throw at load when they are invalid: %#', (declare, fault) => {
    expect(declare).toThrow(fault)
  })
})
