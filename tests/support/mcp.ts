import { createHash, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { STATIC_TOKEN } from './secrets'
import { listen } from './web-server'

/** A host of the revision 2026-07-28, connected with this token. */
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

/** A host of the revisions up to 2025-11-25, connected with this token. */
export async function connectEarlierHost(origin: string, token = STATIC_TOKEN): Promise<EarlierClient> {
  const client = new EarlierClient({ name: 'test-host', version: '1' })
  await client.connect(
    new EarlierTransport(new URL(`${origin}/mcp`), { requestInit: { headers: { authorization: `Bearer ${token}` } } }),
  )
  return client
}

/** Sends one message; a string body is sent unchanged. */
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

/** Requests the tools of an endpoint with this access token. */
export const listTools = (endpoint: string, token: string | undefined): Promise<Response> =>
  sendMessage(
    new URL(endpoint).origin,
    { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    { authorization: `Bearer ${token}` },
  )

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => unknown

export interface McpEndpoint {
  url: URL
  origin: string
  /** The forms sent to the token endpoint. */
  tokenRequests: URLSearchParams[]
  /** The registrations received. */
  registrations: unknown[]
  /** The credentials sent to the endpoint. */
  authorizations: string[]
  /** Revokes the grant behind every token. */
  revokeAll(): void
  /** Forgets all clients and their tokens, as a replaced database does. */
  forgetClients(): void
  stop(): Promise<void>
}

/** Responses that replace the correct ones, by path. */
export type Faults = Partial<Record<string, Answer>>

export const json = (response: ServerResponse, value: unknown, status = 200, headers: Record<string, string> = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))

/** A small MCP endpoint with its own authorization server, which approves everything. A test can replace responses by path. */
export async function startMcpEndpoint(toFaults: (origin: string) => Faults = () => ({})): Promise<McpEndpoint> {
  const server = createServer()
  const { origin, stop } = await listen(server)
  const state = {
    codes: new Map<string, string>(),
    access: new Set<string>(),
    refresh: new Set<string>(),
    tokenRequests: [] as URLSearchParams[],
    registrations: [] as unknown[],
    authorizations: [] as string[],
    forgotten: 0,
  }
  const answers: Faults = { ...rightAnswers(origin, state), ...toFaults(origin) }
  server.on('request', async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', origin)
    const answer = answers[pathname]
    const body = await text(request)
    if (answer) answer(request, response, body)
    else json(response, { error: 'not found' }, 404)
  })
  return {
    url: new URL(`${origin}/mcp`),
    origin,
    tokenRequests: state.tokenRequests,
    registrations: state.registrations,
    authorizations: state.authorizations,
    revokeAll: () => [state.access, state.refresh].forEach(tokens => tokens.clear()),
    forgetClients: () => {
      for (const tokens of [state.access, state.refresh]) tokens.clear()
      state.forgotten = state.registrations.length
    },
    stop,
  }
}

interface State {
  codes: Map<string, string>
  access: Set<string>
  refresh: Set<string>
  tokenRequests: URLSearchParams[]
  registrations: unknown[]
  authorizations: string[]
  /** How many of the registrations are forgotten. */
  forgotten: number
}

/** The metadata of the authorization server, for tests to change. */
export const serverMetadata = (origin: string) => ({
  issuer: origin,
  authorization_endpoint: `${origin}/authorize`,
  token_endpoint: `${origin}/token`,
  registration_endpoint: `${origin}/register`,
  revocation_endpoint: `${origin}/revoke`,
  response_types_supported: ['code'],
  code_challenge_methods_supported: ['S256'],
  token_endpoint_auth_methods_supported: ['none'],
  scopes_supported: ['mcp:read', 'offline_access'],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
})

function rightAnswers(origin: string, state: State): Faults {
  const metadataUrl = `${origin}/.well-known/oauth-protected-resource/mcp`
  const challenge = `Bearer resource_metadata="${metadataUrl}", scope="mcp:read"`
  return {
    '/mcp': (request, response, body) => {
      if (request.headers.authorization) state.authorizations.push(request.headers.authorization)
      const token = request.headers.authorization?.replace('Bearer ', '') ?? ''
      if (!state.access.has(token)) return response.writeHead(401, { 'www-authenticate': challenge }).end()
      return answerMessage(JSON.parse(body || '{}'), response)
    },
    '/.well-known/oauth-protected-resource/mcp': (_, response) =>
      json(response, { resource: `${origin}/mcp`, authorization_servers: [origin] }),
    '/.well-known/oauth-authorization-server': (_, response) => json(response, serverMetadata(origin)),
    '/register': (_, response, body) => {
      state.registrations.push(JSON.parse(body))
      json(response, { ...JSON.parse(body), client_id: `client-${state.registrations.length}` }, 201)
    },
    '/authorize': (request, response) => {
      const { searchParams } = new URL(request.url ?? '', origin)
      if (isForgotten(state, searchParams)) return void response.writeHead(400).end()
      const code = randomUUID()
      state.codes.set(code, searchParams.get('code_challenge') ?? '')
      const back = new URL(searchParams.get('redirect_uri') ?? '')
      back.search = new URLSearchParams({ code, state: searchParams.get('state') ?? '', iss: origin }).toString()
      response.writeHead(302, { location: back.href }).end()
    },
    '/token': (_, response, body) => answerToken(state, response, new URLSearchParams(body)),
    '/revoke': (_, response) => {
      state.access.clear()
      state.refresh.clear()
      response.writeHead(200).end()
    },
  }
}

const isForgotten = (state: State, fields: URLSearchParams): boolean =>
  Number(fields.get('client_id')?.replace('client-', '')) <= state.forgotten

function answerToken(state: State, response: ServerResponse, form: URLSearchParams): void {
  state.tokenRequests.push(form)
  if (isForgotten(state, form)) return void json(response, { error: 'invalid_client' }, 401)
  const isRefresh = form.get('grant_type') === 'refresh_token'
  const verifier = form.get('code_verifier') ?? ''
  const challenge = state.codes.get(form.get('code') ?? '')
  const isGood = isRefresh
    ? state.refresh.delete(form.get('refresh_token') ?? '')
    : challenge === createHash('sha256').update(verifier).digest('base64url')
  if (!isGood) return void json(response, { error: 'invalid_grant', error_description: 'It is spent.' }, 400)
  const tokens = { access_token: randomUUID(), refresh_token: randomUUID() }
  state.access.add(tokens.access_token)
  state.refresh.add(tokens.refresh_token)
  json(response, { ...tokens, token_type: 'Bearer', expires_in: 3600, scope: 'mcp:read offline_access' })
}

function answerMessage(message: { id?: number; method?: string }, response: ServerResponse): unknown {
  if (message.id === undefined) return response.writeHead(202).end()
  const results: Partial<Record<string, unknown>> = {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'endpoint', version: '1' },
    },
    'tools/list': { tools: [{ name: 'ping', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: 'pong' }] },
  }
  const result = results[message.method ?? '']
  const error = { code: -32_601, message: 'Method not found' }
  return json(response, { jsonrpc: '2.0', id: message.id, ...(result ? { result } : { error }) })
}
