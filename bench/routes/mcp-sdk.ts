import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { defineEventHandler, toWebRequest } from 'h3'
import { z } from 'zod'

const handler = createMcpHandler(() => {
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

/** The limit of the endpoint: a server of the protocol's own library with one tool, as its guide builds it, that asks for no token. */
export default defineEventHandler(event => handler.fetch(toWebRequest(event)))
