import type { Readable, Writable } from 'node:stream'
import {
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'
import { reasonOf } from './endpoint'
import type { TokenSource } from './token-source'

export interface StdioProxyInput {
  url: URL
  tokens: TokenSource
  stdin: Readable
  stdout: Writable
  say(line: string): void
  /** How long to wait for a server that has not started yet. */
  waitLimitInMs: number
}

const SERVER_ERROR = -32_000
const RETRY_IN_MS = 500
const negotiated = z.object({ protocolVersion: z.string() })

/**
 * Forwards JSON-RPC between a host on standard input and output and a remote endpoint until the host ends. Supports both
 * revisions, because it changes no message.
 */
export async function runStdioProxy(input: StdioProxyInput): Promise<void> {
  const { url, stdin, stdout, say } = input
  const host = new StdioServerTransport(stdin, stdout)
  const remote = new StreamableHTTPClientTransport(url, { fetch: authorizedFetch(input) })
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const initializations = new Set<string | number>()
  // Sends messages in sequence until the host knows the revision, because later messages must carry it.
  const turn = { last: Promise.resolve() }

  const tell = (error: Error) => say(reasonOf(error))
  function fromRemote(message: JSONRPCMessage): void {
    if (isJSONRPCResultResponse(message) && initializations.delete(message.id)) {
      const { data } = negotiated.safeParse(message.result)
      if (data) remote.setProtocolVersion(data.protocolVersion)
    }
    void host.send(message)
  }
  function fromHost(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message) && message.method === 'initialize') initializations.add(message.id)
    const sent = turn.last.then(() => forward(message))
    turn.last = initializations.size > 0 ? sent : turn.last
  }
  Object.assign(remote, { onmessage: fromRemote, onerror: tell })
  Object.assign(host, { onmessage: fromHost, onerror: tell })
  stdin.once('end', end)
  stdin.once('close', end)
  stdout.once('error', end)

  async function forward(message: JSONRPCMessage): Promise<void> {
    try {
      await remote.send(message)
    } catch (error) {
      say(reasonOf(error))
      if (isJSONRPCRequest(message))
        await host.send({ jsonrpc: '2.0', id: message.id, error: { code: SERVER_ERROR, message: reasonOf(error) } })
    }
  }

  await remote.start()
  await host.start()
  await ended
  await remote.terminateSession().catch(() => undefined)
  await remote.close()
  await host.close()
}

/** Returns a fetch that sends a token, replaces the token after a refusal, and waits for a server that has not started yet. */
function authorizedFetch({ tokens, say, waitLimitInMs }: StdioProxyInput) {
  return async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const send = (token: string) => {
      const headers = new Headers(init.headers)
      headers.set('authorization', `Bearer ${token}`)
      return fetch(url, { ...init, headers })
    }
    const token = await whenUp(() => tokens.get(), waitLimitInMs, say)
    const answer = await whenUp(() => send(token), waitLimitInMs, say)
    if (answer.status !== 401) return answer
    await answer.body?.cancel()
    return send(await tokens.replace(token))
  }
}

/** Retries while no server listens at the address; this is safe because a request without a connection never ran. */
async function whenUp<Result>(work: () => Promise<Result>, limitInMs: number, say: (line: string) => void) {
  const limit = Date.now() + limitInMs
  for (let attempt = 0; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!isRefused(error) || Date.now() > limit) throw error
      if (attempt === 0) say('The server does not answer yet. Waiting for it.')
      await new Promise(resolve => setTimeout(resolve, RETRY_IN_MS))
    }
  }
}

function isRefused(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false
  if ('code' in thrown && thrown.code === 'ECONNREFUSED') return true
  return isRefused(thrown.cause)
}
