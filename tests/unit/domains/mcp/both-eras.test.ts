import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectEarlierHost, connectHost } from '../../../support/mcp'
import { type McpApplication, startMcpApplication } from '../../../fixtures/mcp/application'

let application: McpApplication
beforeAll(async () => {
  application = await startMcpApplication()
})
afterAll(() => application.close())

describe('MCP hosts of both revisions', () => {
  it('list and call tools at the same URL', async () => {
    const host = await connectHost(application.origin)
    const earlier = await connectEarlierHost(application.origin)
    expect(host.getNegotiatedProtocolVersion?.()).toBe('2026-07-28')
    const names = (await host.listTools()).tools.map(tool => tool.name)
    expect((await earlier.listTools()).tools.map(tool => tool.name)).toEqual(names)
    expect(names).toEqual(names.toSorted())
    const content = [{ type: 'text', text: 'This is a simple text response for testing.' }]
    expect(await host.callTool({ name: 'test_simple_text' })).toMatchObject({ content })
    expect(await earlier.callTool({ name: 'test_simple_text' })).toMatchObject({ content })
  })
})
