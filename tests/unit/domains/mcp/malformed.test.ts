import { InMemoryTransport, type JSONRPCMessage } from '@modelcontextprotocol/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localMcpServer } from '#fairway/server/domains/mcp'
import { findStaticAccess } from '#fairway/server/domains/mcp/access'
import { BY_LIBRARY, declarations, type McpApplication, startMcpApplication } from '../../../fixtures/mcp/application'
import { STATIC_TOKEN } from '../../../support/secrets'

let application: McpApplication
beforeAll(async () => {
  application = await startMcpApplication()
})
afterAll(() => application.close())

const clientInfo = { name: 'host', version: '1' }
const call = { name: 'test_simple_text' }

/** Requests whose parameters are wrong in both revisions, each with the part that the answer names. */
const requests: [method: string, params: Record<string, unknown> | undefined, part: string][] = [
  ['tools/list', { cursor: null }, 'cursor'],
  ['prompts/list', { cursor: 1 }, 'cursor'],
  ['resources/read', {}, 'uri'],
  ['resources/read', { uri: ['a', 'b'] }, 'uri'],
  ['tools/call', {}, 'name'],
  ['tools/call', { ...call, arguments: null }, 'arguments'],
  ['tools/call', { ...call, arguments: [] }, 'arguments'],
  ['prompts/get', { name: 'x', arguments: { a: null } }, 'arguments.a'],
  ['completion/complete', {}, 'ref'],
]

/** The same for the revisions up to 2025-11-25. */
const earlierRequests: typeof requests = [
  ['initialize', undefined, 'params'],
  ['initialize', { protocolVersion: '2025-11-25', clientInfo }, 'capabilities'],
  ['initialize', { protocolVersion: '2025-11-25', clientInfo, capabilities: { roots: 'yes' } }, 'capabilities.roots'],
  ['resources/read', undefined, 'params'],
  ['resources/subscribe', {}, 'uri'],
  ['logging/setLevel', { level: 'loud' }, 'level'],
]

const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': clientInfo,
}

async function post(path: string, message: object, headers: Record<string, string>): Promise<unknown> {
  const answer = await fetch(application.origin + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers, authorization: `Bearer ${STATIC_TOKEN}` },
    body: JSON.stringify(message),
  })
  return answer.json()
}

const surfaces = {
  earlier: (method: string, params?: object) => post('/mcp', { jsonrpc: '2.0', id: 7, method, params }, {}),
  library: (method: string, params?: object) => post(BY_LIBRARY, { jsonrpc: '2.0', id: 7, method, params }, {}),
  current: (method: string, params: Record<string, unknown> = {}) =>
    post(
      '/mcp',
      { jsonrpc: '2.0', id: 7, method, params: { ...params, _meta: ENVELOPE } },
      {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(typeof params.name === 'string' ? { 'mcp-name': params.name } : {}),
      },
    ),
  /** The server of `fw mcp stdio`. */
  async connection(method: string, params?: Record<string, unknown>): Promise<unknown> {
    const access = await findStaticAccess(application.app)
    const { create } = await localMcpServer(application.app, declarations, async () => access!.session)
    const [host, server] = InMemoryTransport.createLinkedPair()
    const answered = Promise.withResolvers<JSONRPCMessage>()
    Object.assign(host, { onmessage: answered.resolve })
    await create().connect(server)
    await host.send({ jsonrpc: '2.0', id: 7, method, params })
    return answered.promise
  },
}

describe('MCP request with wrong parameters', () => {
  const cases = Object.entries(surfaces).flatMap(([name, send]) =>
    [...requests, ...(name === 'current' ? [] : earlierRequests)].map(
      ([method, params, part]) => [name, method, JSON.stringify(params), part, () => send(method, params)] as const,
    ),
  )

  it.each(cases)('gets −32602 and one sentence: %s %s %s', async (_name, _method, _params, part, send) => {
    const answer = await send()
    expect(answer).toMatchObject({ id: 7, error: { code: -32_602, message: expect.stringContaining(part) } })
    // No dump of the issues, which are JSON.
    expect(answer).toMatchObject({ error: { message: expect.stringMatching(/^Invalid [^\n[\]{}]+\.$/) } })
  })
})
