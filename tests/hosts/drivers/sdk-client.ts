import type * as Current from '@modelcontextprotocol/client'
import type * as Earlier from '@modelcontextprotocol/sdk/client/index.js'
import type * as EarlierHttp from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { startOAuthHost } from '../../support/oauth-host'
import { loadInstalled } from './installed'
import type { ReleasedClient } from './run-client'

type Provider = Awaited<ReturnType<typeof startOAuthHost>>['provider']

/** The functions that a library offers to a program: connect, finish the sign-in, and call tools. */
interface Library {
  connect(): Promise<unknown>
  finish(brought: URLSearchParams): Promise<unknown>
  listTools(): Promise<{ name: string }[]>
  callTool(name: string, args: Record<string, unknown>): Promise<{ isError?: boolean }>
}

/** Opens a library for one connection. */
export type OpenLibrary = (endpoint: URL, provider: Provider) => Promise<Library>

/** The SDK, versions up to 1.x, from this folder. */
export const openEarlierSdk =
  (folder: string): OpenLibrary =>
  async (endpoint, provider) => {
    const { Client } = await loadInstalled<typeof Earlier>(`${folder}/dist/esm/client/index.js`)
    const http = await loadInstalled<typeof EarlierHttp>(`${folder}/dist/esm/client/streamableHttp.js`)
    const client = new Client({ name: 'host', version: '1' })
    const transport = new http.StreamableHTTPClientTransport(endpoint, { authProvider: provider })
    return {
      connect: () => client.connect(transport),
      finish: brought => transport.finishAuth(brought.get('code') ?? ''),
      listTools: async () => (await client.listTools()).tools,
      callTool: async (name, args) => (await client.callTool({ name, arguments: args })) as { isError?: boolean },
    }
  }

/** The client package of the revision 2026-07-28, which accepts all parameters of the browser's redirect. */
export const openCurrentSdk: OpenLibrary = async (endpoint, provider) => {
  const library = await loadInstalled<typeof Current>('@modelcontextprotocol/client/dist/index.mjs')
  const client = new library.Client({ name: 'host', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  const transport = new library.StreamableHTTPClientTransport(endpoint, { authProvider: provider })
  return {
    connect: () => client.connect(transport),
    finish: brought => transport.finishAuth(brought),
    listTools: async () => (await client.listTools()).tools,
    callTool: async (name, args) => (await client.callTool({ name, arguments: args })) as { isError?: boolean },
  }
}

interface AiSdk {
  createMCPClient(input: unknown): Promise<{
    listTools(): Promise<{ tools: { name: string }[] }>
    callTool(input: { name: string; arguments: unknown }): Promise<{ isError?: boolean }>
  }>
  auth(provider: unknown, input: Record<string, unknown>): Promise<string>
}

/** The client of the AI SDK, which stores the issuer with its tokens and requires state and issuer in the redirect. */
export const openAiSdk: OpenLibrary = async (endpoint, provider) => {
  const { createMCPClient, auth } = await loadInstalled<AiSdk>('@ai-sdk/mcp/dist/index.js')
  const kept: { state?: string; server?: unknown; client?: Awaited<ReturnType<AiSdk['createMCPClient']>> } = {}
  const authProvider = Object.assign(Object.create(provider) as Provider, {
    saveState: (state: string) => void (kept.state = state),
    storedState: () => kept.state,
    saveAuthorizationServerInformation: (server: unknown) => void (kept.server = server),
    authorizationServerInformation: () => kept.server,
    isClientInformationDynamicallyRegistered: () => true,
  })
  const connected = () => {
    if (!kept.client) throw new Error('it is not connected')
    return kept.client
  }
  return {
    connect: async () => {
      kept.client = await createMCPClient({ transport: { type: 'http', url: endpoint.href, authProvider } })
    },
    finish: brought =>
      auth(authProvider, {
        serverUrl: endpoint.href,
        authorizationCode: brought.get('code'),
        callbackState: brought.get('state'),
        callbackIssuer: brought.get('iss'),
      }),
    listTools: async () => (await connected().listTools()).tools,
    callTool: (name, args) => connected().callTool({ name, arguments: args }),
  }
}

/** A program with only a library. */
export async function startLibrary(open: OpenLibrary, name: string, endpoint: string): Promise<ReleasedClient> {
  const host = await startOAuthHost(name)
  const url = new URL(endpoint)
  const state: { library: Library; answered?: URL } = { library: await open(url, host.provider) }

  async function start(): Promise<URL> {
    state.library = await open(url, host.provider)
    const refusal = await state.library.connect().catch((error: unknown) => error)
    const asked = host.asked()
    if (!(refusal instanceof Error) || !asked) throw new Error(`it did not ask: ${String(refusal)}`)
    state.answered = asked
    return asked
  }

  return {
    start,
    async comeBack({ searchParams }) {
      await state.library.finish(searchParams)
      // As programs do, reconnect after the refused connection.
      const ready = await open(url, host.provider)
      await ready.connect()
      state.library = ready
    },
    listTools: () => state.library.listTools(),
    async callTool(tool, args) {
      const result = await state.library.callTool(tool, args)
      if (result.isError) throw new Error(JSON.stringify(result))
      return result
    },
    tokens: async () => host.tokens() ?? { access_token: '' },
    expire: async ended => host.setTokens({ ...host.tokens(), token_type: 'Bearer', access_token: ended }),
    forget: async () => host.provider.invalidateCredentials('tokens'),
    async askedAgain(limitInMs) {
      const limit = Date.now() + limitInMs
      while (host.asked() === state.answered && Date.now() < limit)
        await new Promise(resolve => setTimeout(resolve, 20))
      const asked = host.asked() === state.answered ? undefined : host.asked()
      state.answered = host.asked()
      return asked
    },
    stop: () => Promise.resolve(host.stop()),
  }
}
