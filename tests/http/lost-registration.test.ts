import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { decide, type OAuthHost, startOAuthHost } from '../support/oauth-host'
import { query } from '../support/query'
import { freePort, type OwnServer, startServer } from '../support/server'
import { createTeamWorld } from '../support/team'

const PROGRAM = { name: 'A program', version: '1' }
let port: number
let server: OwnServer
let host: OAuthHost
/** How many times the library wanted to open the authorization endpoint. */
let asked: number

/** Starts a server with an empty database on the same port. */
const start = () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'fw-lost-registration-'))
  return startServer({ dataDir, env: { PORT: String(port), FW_DATA_DIR: dataDir } })
}

beforeEach(async () => {
  port = await freePort()
  server = await start()
  host = await startOAuthHost('A program')
  asked = 0
  const { redirectToAuthorization } = host.provider
  host.provider.redirectToAuthorization = url => {
    asked += 1
    redirectToAuthorization(url)
  }
})
afterEach(async () => {
  await host.stop()
  await server.stop()
})

/** A program with one of the two generations of the SDK, as its documentation writes it. */
const programs = {
  '1.x': () => {
    const transport = new EarlierTransport(new URL(`${server.origin}/mcp`), { authProvider: host.provider })
    const client = new EarlierClient(PROGRAM)
    return {
      connect: () => client.connect(transport),
      finish: (brought: URLSearchParams) => transport.finishAuth(brought.get('code') ?? ''),
      listTools: async () => (await client.listTools()).tools.length,
      close: () => client.close(),
    }
  },
  '2.x': () => {
    const transport = new StreamableHTTPClientTransport(new URL(`${server.origin}/mcp`), {
      authProvider: host.provider,
    })
    const client = new Client(PROGRAM)
    return {
      connect: () => client.connect(transport),
      finish: (brought: URLSearchParams) => transport.finishAuth(brought),
      listTools: async () => (await client.listTools()).tools.length,
      close: () => client.close(),
    }
  },
}
type Generation = keyof typeof programs

/** Connects the program as its person does: it is refused, they agree in the browser, and it connects once more. */
async function connectOnce(generation: Generation) {
  const refused = programs[generation]()
  await expect(refused.connect()).rejects.toThrow(/unauthorized/i)
  const { browser } = await createTeamWorld(server).person()
  const answer = await decide(browser, host.asked()?.search ?? '')
  await refused.finish(new URL(answer.headers.get('location') ?? '').searchParams)
  const program = programs[generation]()
  await program.connect()
  expect(await program.listTools()).toBeGreaterThan(0)
  return program
}

describe('a host whose registration was lost', () => {
  it.each<Generation>(['1.x', '2.x'])(
    'connects again after one consent when the database was replaced: SDK %s',
    async generation => {
      await (await connectOnce(generation)).close()
      const lost = host.provider.clientInformation()?.client_id
      expect([asked, host.tokens()]).toEqual([1, expect.objectContaining({ refresh_token: expect.any(String) })])
      await server.stop()
      server = await start()
      expect(await query(server, 'select id from oauth_clients')).toEqual([])
      await (await connectOnce(generation)).close()
      expect(asked).toBe(2)
      const id = host.provider.clientInformation()?.client_id
      expect(id).not.toBe(lost)
      expect(await query(server, 'select id from oauth_clients')).toEqual([{ id }])
    },
    60_000,
  )
})
