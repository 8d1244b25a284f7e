import { defineEventHandler, toWebRequest } from 'h3'
import { z } from 'zod'

// Loaded with the first request, because the platform's start is measured too.
const library = () => import('@modelcontextprotocol/server')

const makeHandler = ({ createMcpHandler, McpServer }: Awaited<ReturnType<typeof library>>) =>
  createMcpHandler(() => {
    const server = new McpServer({ name: 'bench', version: '1.0.0' })
    server.registerTool(
      'read-time',
      {
        description: 'Reads the time.',
        inputSchema: z.object({ zone: z.string().default('UTC') }),
        outputSchema: z.object({ zone: z.string(), time: z.string() }),
        annotations: { readOnlyHint: true },
      },
      ({ zone }) => {
        const result = { zone, time: new Date().toISOString() }
        return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: result }
      },
    )
    return server
  })

/**
 * The baseline of the endpoint: a server of the MCP library with one tool, built as its guide describes, without a required
 * token.
 */
let handler: Promise<ReturnType<typeof makeHandler>> | undefined
export default defineEventHandler(async event => {
  handler ??= library().then(makeHandler)
  return (await handler).fetch(toWebRequest(event))
})
