import { describe, expect, it, onTestFinished } from 'vitest'
import { connectHost } from '../support/mcp'
import { chatGpt } from './chatgpt'
import { claudeCode } from './claude-code'
import { type Host, rowsOf } from './host'
import { startSequence } from './run-sequence'
import { sequences } from './sequences'
import { tryHosts } from './try-hosts'
import { builtWorld, documentWorld, type HostWorld } from './world'

const knownBy = (way: Host['client']) =>
  sequences.flatMap(sequence =>
    rowsOf(sequence)
      .filter(({ client }) => client === way)
      .map(row => ({ ...row, start: (world: HostWorld) => startSequence(sequence, way, world) })),
  )

describe('where documents are not offered', () => tryHosts(knownBy('registered'), builtWorld))

describe('where documents are offered', () => tryHosts(knownBy('document'), documentWorld))

describe('a deletion', () => {
  async function aRun(sequence: typeof claudeCode) {
    const world = await builtWorld()
    onTestFinished(() => void world.stop())
    return { world, run: await startSequence(sequence, 'registered', world) }
  }

  it.each([claudeCode, chatGpt])(
    'by $name, which cannot ask over HTTP, waits for the person on our page',
    async host => {
      const { run } = await aRun(host)
      await run.connectDeleting()
      await run.deleteAfterApproval()
    },
  )

  it('by the MCP client 2.4, which can ask, asks in the host and not on our page', async () => {
    const { world, run } = await aRun(claudeCode)
    const host = await connectHost(world.origin, await run.connectDeleting(), { elicitation: {} })
    const asked: string[] = []
    host.setRequestHandler('elicitation/create', request => {
      asked.push(request.params.message)
      return { action: 'accept', content: { approve: true } } as never
    })
    const { structuredContent } = await host.callTool({ name: 'create-note', arguments: { title: 'To delete' } })
    const { id } = (structuredContent as { note: { id: string } }).note
    const deleted = await host.callTool({ name: 'delete-note', arguments: { id } })
    expect([deleted.isError ?? false, asked.length]).toEqual([false, 1])
    expect(asked[0]).toContain('Delete the note “To delete”?')
  })
})
