import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectEarlierHost, connectHost } from '../../../support/mcp'
import { defineMcpApp } from '#fw'
import { offeredTools } from '#fairway/server/domains/mcp'
import { declarations, type McpApplication, startMcpApplication } from '../../../fixtures/mcp/application'

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

  it('get the tools that `fw hosts` compares', async () => {
    const { tools } = await (await connectHost(application.origin)).listTools()
    const offered = offeredTools(declarations, application.app.config)
    expect(tools).toMatchObject(JSON.parse(JSON.stringify(offered.map(({ securitySchemes: _ours, ...tool }) => tool))))
    expect(tools).toHaveLength(offered.length)
  })

  it('get the extension for pages among the capabilities, when the application has pages', async () => {
    const ui = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } }
    const html = '<!doctype html><html lang="en"><body>Page</body></html>'
    const app = { name: 'page', declaration: defineMcpApp({ title: 'Page', tools: ['test_simple_text'], html }) }
    const withPages = await startMcpApplication({ declared: { ...declarations, apps: [app] } })
    for (const connect of [connectHost, connectEarlierHost]) {
      expect((await connect(withPages.origin)).getServerCapabilities()?.extensions).toEqual(ui)
      expect((await connect(application.origin)).getServerCapabilities()).not.toHaveProperty('extensions')
    }
    await withPages.close()
  })

  it('get the instructions of fw.config.ts, and the scope of each tool', async () => {
    const instructions = 'Search before you create.'
    const instructed = await startMcpApplication({ fwConfig: { mcp: { instructions } } })
    for (const connect of [connectHost, connectEarlierHost]) {
      const host = await connect(instructed.origin)
      expect(host.getInstructions()).toBe(instructions)
      const [tool] = (await host.listTools()).tools
      expect(tool?._meta).toEqual({ securitySchemes: [{ type: 'oauth2', scopes: ['mcp:read'] }] })
      expect((await connect(application.origin)).getInstructions()).toBeUndefined()
    }
    await instructed.close()
  })
})
