import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineAction } from '#fw'
import createNote from '~~/server/actions/notes/create-note'
import deleteNote from '~~/server/actions/notes/delete-note'
import { type McpApplication, startMcpApplication } from '../../../fixtures/mcp/application'
import { connectEarlierHost, connectHost, sendMessage } from '../../../support/mcp'

const dropped: string[] = []
const action = defineAction({
  description: 'Deletes a note for good.',
  destructive: true,
  input: z.object({ id: z.string() }),
  run: ({ id }) => {
    dropped.push(id)
    return { id }
  },
})

const reasonForm = z.object({ reason: z.string() })
const askingAction = defineAction({
  description: 'Deletes a note for good, with a reason.',
  destructive: true,
  input: z.object({ id: z.string() }),
  run({ id }, { host }) {
    const asked = { reason: { message: 'Why?', form: reasonForm } }
    const answer = host?.answer('reason', reasonForm) ?? host?.ask(asked, { step: 1 })
    dropped.push(`${id}: ${answer?.reason}`)
    return { state: host?.state }
  },
})

let application: McpApplication
beforeAll(async () => {
  application = await startMcpApplication({
    declared: {
      actions: [
        { name: 'drop-note', group: 'test', action },
        { name: 'drop-with-reason', group: 'test', action: askingAction },
        { name: 'create-note', group: 'notes', action: createNote as never },
        { name: 'delete-note', group: 'notes', action: deleteNote as never },
      ],
      resources: [],
      prompts: [],
      apps: [],
    },
  })
})
afterAll(() => application.close())
beforeEach(() => void dropped.splice(0))

async function hostThatAnswers(answer: { action: string; content?: Record<string, unknown> }) {
  const host = await connectHost(application.origin, undefined, { elicitation: {} })
  const asked: unknown[] = []
  host.setRequestHandler('elicitation/create', request => {
    asked.push(request.params)
    return answer as never
  })
  return { host, asked }
}

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
}
const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'drop-note' }

async function round(id: string, more: Record<string, unknown> = {}) {
  const answer = await sendMessage(
    application.origin,
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'drop-note', arguments: { id }, _meta: envelope, ...more },
    },
    headers,
  )
  return answer.json()
}
const yes = { 'fairway/approve': { action: 'accept', content: { approve: true } } }

describe('destructive tool call', () => {
  it('shows what will be deleted, asks the person, and runs after approval', async () => {
    const { host, asked } = await hostThatAnswers({ action: 'accept', content: { approve: true } })
    const result = await host.callTool({ name: 'drop-note', arguments: { id: 'n1' } })
    expect(result.structuredContent).toEqual({ id: 'n1' })
    expect(asked).toHaveLength(1)
    expect(JSON.stringify(asked)).toMatch(/Deletes a note for good.*n1/)
    expect(dropped).toEqual(['n1'])
  })

  it('names the row by its title, with owner and last change, and shows no id', async () => {
    const { host, asked } = await hostThatAnswers({ action: 'accept', content: { approve: true } })
    const title = 'Ideas for the\u202E spring campaign'
    const created = await host.callTool({ name: 'create-note', arguments: { title } })
    const { id } = (created.structuredContent as { note: { id: string } }).note
    await host.callTool({ name: 'delete-note', arguments: { id } })
    const [{ message }] = asked as [{ message: string }]
    expect(message.split('\n')).toEqual([
      'Delete the note “Ideas for the  spring campaign”?',
      expect.stringMatching(/^Ideas for the  spring campaign · Owner: Owner \(owner@example\.test\) · changed .+ UTC$/),
    ])
    // A note that the person may not read, or that is gone, has no title to show.
    await host.callTool({ name: 'delete-note', arguments: { id } })
    expect(asked[1]).toMatchObject({ message: `Permanently deletes one of your notes.\ndelete-note {"id":"${id}"}` })
  })

  it.each([
    [{ action: 'decline' }],
    [{ action: 'accept', content: { approve: false } }],
    [{ action: 'accept', content: {} }],
  ])('changes nothing after %j', async answer => {
    const { host } = await hostThatAnswers(answer)
    const result = await host.callTool({ name: 'drop-note', arguments: { id: 'n1' } })
    expect(result).toMatchObject({ isError: true, _meta: { 'fairway/error': { code: 'not-approved' } } })
    expect(dropped).toEqual([])
  })

  it('returns approval-unanswered with instructions when the question is not answered, and changes nothing', async () => {
    const { host } = await hostThatAnswers({ action: 'cancel' })
    const result = await host.callTool({ name: 'drop-note', arguments: { id: 'n1' } })
    expect(result).toMatchObject({ isError: true, _meta: { 'fairway/error': { code: 'approval-unanswered' } } })
    expect(JSON.stringify(result.content)).toMatch(/must be interactive.*drop-note again.*\/tools/)
    const { requestState } = (await round('n1')).result
    const unanswered = await round('n1', { requestState, inputResponses: {} })
    expect(unanswered.result._meta['fairway/error'].code).toBe('approval-unanswered')
    expect(dropped).toEqual([])
  })

  it('accepts no approval without its question, for a changed question, or for another note', async () => {
    expect((await round('n1', { inputResponses: yes })).result.resultType).toBe('input_required')
    const { requestState } = (await round('n1')).result
    const changed = `${requestState.slice(0, -2)}${requestState.endsWith('A') ? 'B' : 'A'}x`
    expect((await round('n1', { inputResponses: yes, requestState: changed })).error.code).toBe(-32_602)
    expect((await round('n2', { inputResponses: yes, requestState })).result.resultType).toBe('input_required')
    expect(dropped).toEqual([])
    expect((await round('n1', { inputResponses: yes, requestState })).result.structuredContent).toEqual({ id: 'n1' })
    expect(dropped).toEqual(['n1'])
  })

  it('is approved once, even when the action asks another question', async () => {
    const host = await connectHost(application.origin, undefined, { elicitation: {} })
    const asked: string[] = []
    host.setRequestHandler('elicitation/create', request => {
      asked.push(request.params.message)
      const isReason = request.params.message === 'Why?'
      return { action: 'accept', content: isReason ? { reason: 'old' } : { approve: true } } as never
    })
    const result = await host.callTool({ name: 'drop-with-reason', arguments: { id: 'n5' } })
    expect(asked).toEqual([expect.stringContaining('n5'), 'Why?'])
    expect([result.structuredContent, dropped]).toEqual([{ state: { step: 1 } }, ['n5: old']])
  })

  it('rejects request state of another tool', async () => {
    const { requestState } = (await round('n1')).result
    const other = { name: 'drop-with-reason', inputResponses: yes, requestState }
    const answer = await sendMessage(
      application.origin,
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { arguments: { id: 'n1' }, _meta: envelope, ...other } },
      { ...headers, 'mcp-name': 'drop-with-reason' },
    )
    expect((await answer.json()).error.code).toBe(-32_602)
  })

  it('runs for hosts that cannot ask, because mcp:write was granted', async () => {
    const host = await connectHost(application.origin)
    expect((await host.callTool({ name: 'drop-note', arguments: { id: 'n3' } })).isError).toBeFalsy()
    const earlier = await connectEarlierHost(application.origin)
    expect((await earlier.callTool({ name: 'drop-note', arguments: { id: 'n4' } })).isError).toBeFalsy()
    expect(dropped).toEqual(['n3', 'n4'])
  })
})
