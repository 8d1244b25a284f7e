import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

import { STATIC_TOKEN } from './secrets'

/** A host of the revision 2026-07-28 that is connected with this token. */
export async function connectHost(
  origin: string,
  token = STATIC_TOKEN,
  capabilities: Record<string, unknown> = {},
): Promise<Client> {
  const client = new Client({ name: 'test-host', version: '1' }, { capabilities, versionNegotiation: { mode: 'auto' } })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  )
  return client
}

/** A host of the revisions up to 2025-11-25 that is connected with this token. */
export async function connectEarlierHost(origin: string, token = STATIC_TOKEN): Promise<EarlierClient> {
  const client = new EarlierClient({ name: 'test-host', version: '1' })
  await client.connect(
    new EarlierTransport(new URL(`${origin}/mcp`), { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
  )
  return client
}

/** Sends one message as it is. */
export const sendMessage = (
  origin: string,
  body: unknown,
  headers: Record<string, string> = {},
  init: RequestInit = {},
): Promise<Response> =>
  fetch(`${origin}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${STATIC_TOKEN}`,
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...init,
  })
