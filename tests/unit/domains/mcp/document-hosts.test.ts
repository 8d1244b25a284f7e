import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { defineEventHandler } from 'h3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineAction } from '#fw'
import { answerMcpRequest } from '#fairway/server/domains/mcp'
import operationRoute from '#fairway/server/mounted/operation'
import { type GuardedFetch, GuardedFetchError } from '#fairway/server/kernel/http/guarded-fetch'
import authRoute from '#fairway/server/routes/_fw/auth/[...path]'
import serverMetadataRoute from '#fairway/server/routes/.well-known/oauth-authorization-server/index'
import resourceMetadataRoute from '#fairway/server/routes/.well-known/oauth-protected-resource/mcp'
import authorizeRoute from '#fairway/server/routes/mcp/oauth/authorize'
import registerRoute from '#fairway/server/routes/mcp/oauth/register'
import revokeRoute from '#fairway/server/routes/mcp/oauth/revoke'
import tokenRoute from '#fairway/server/routes/mcp/oauth/token'
import { createTestApp, type TestApp } from '../../../support/app'
import { createBrowser, signUp, type TestBrowser } from '../../../support/http'
import { authorizeQuery, startOAuthHost } from '../../../support/oauth-host'
import { freePort } from '../../../support/server'
import { serveHandlers } from '../../../support/web-handlers'

const DOCUMENT = 'https://host.example.com/client.json'
const OUT_OF_REACH = 'https://far.example.com/client.json'

/** A typical host's document: a loopback address without a port, and members that Fairway ignores. */
const document = {
  client_id: DOCUMENT,
  client_name: 'Example Host',
  client_uri: 'https://host.example.com',
  redirect_uris: ['http://127.0.0.1/callback', 'http://localhost/callback'],
  grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
  response_types: ['code'],
  token_endpoint_auth_method: 'none',
  logo_uri: 'https://host.example.com/logo.svg',
}

// Client documents require a public https server. The test replaces the transport and keeps the code that reads the response.
const fetched: string[] = []
const transport: GuardedFetch = async url => {
  fetched.push(url)
  if (url === OUT_OF_REACH) throw new GuardedFetchError('it did not answer in time', { outage: 'timeout' })
  if (url !== DOCUMENT) throw new GuardedFetchError('it could not be reached')
  return {
    status: 200,
    header: name => (name === 'content-type' ? 'application/json' : undefined),
    text: JSON.stringify(document),
  }
}

interface World {
  origin: string
  browser: TestBrowser
  stop(): Promise<void>
}

/** A server with these settings, and a person who is signed in to it. */
async function startWorld(env: Record<string, string>): Promise<World> {
  const origin = `http://localhost:${await freePort()}`
  const world: TestApp = await createTestApp({ FW_BASE_URL: origin, FW_RATE_LIMITS: 'off', ...env })
  world.app.memo('guarded-fetch', () => transport)
  const action = defineAction({
    description: 'Says hello.',
    readOnly: true,
    input: z.object({}),
    run: () => ({ hello: 1 }),
  })
  const declared = { actions: [{ name: 'hello', group: 'test', action }], resources: [], prompts: [], apps: [] }
  const served = await serveHandlers(world.app, {
    routes: {
      '/mcp': defineEventHandler(event => answerMcpRequest(event, declared)),
      '/mcp/oauth/authorize': authorizeRoute,
      '/mcp/oauth/register': registerRoute,
      '/mcp/oauth/revoke': revokeRoute,
      '/mcp/oauth/token': tokenRoute,
      '/.well-known/oauth-protected-resource/mcp': resourceMetadataRoute,
      '/.well-known/oauth-authorization-server': serverMetadataRoute,
      '/_fw/auth/**:path': authRoute,
      '/_fw/mcp/endpoint': operationRoute,
    },
  })
  const browser = createBrowser(served.origin)
  await signUp(browser, { email: 'ada@example.test', password: 'quiet harbour lantern 42', name: 'Ada' })
  return {
    origin: served.origin,
    browser,
    async stop() {
      await served.stop()
      await world.close()
    },
  }
}

/** One server that supports hosts with client documents, and one with the settings of a laptop. */
let served: World
let laptop: World
beforeAll(async () => {
  served = await startWorld({ FW_CLIENT_DOCUMENTS: 'on' })
  laptop = await startWorld({})
})
afterAll(async () => {
  await served.stop()
  await laptop.stop()
})

/** Approves in a person's browser: reads the page, posts its form and follows the redirect to the host. */
async function agree(address: URL | undefined, { browser } = served): Promise<string> {
  const path = `${address?.pathname}${address?.search}`
  const page = await (await browser.get(path)).text()
  const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? ''
  const form = { ticket: field('ticket'), org: field('org'), decision: 'approve', offline_access: 'on' }
  const answer = await browser.post(path, { form })
  await fetch(answer.headers.get('location') ?? '')
  return page
}

const hosts = {
  'SDK 1.32': (provider: Awaited<ReturnType<typeof startOAuthHost>>['provider'], at = served) => {
    const client = new EarlierClient({ name: 'host', version: '1' })
    const remote = new EarlierTransport(new URL(`${at.origin}/mcp`), { authProvider: provider })
    return {
      connect: () => client.connect(remote),
      finish: (query: URLSearchParams) => remote.finishAuth(query.get('code') ?? ''),
      call: () => client.callTool({ name: 'hello', arguments: {} }),
    }
  },
  'client 2.4': (provider: Awaited<ReturnType<typeof startOAuthHost>>['provider'], at = served) => {
    const client = new Client({ name: 'host', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    const remote = new StreamableHTTPClientTransport(new URL(`${at.origin}/mcp`), { authProvider: provider })
    return {
      connect: () => client.connect(remote),
      finish: (query: URLSearchParams) => remote.finishAuth(query),
      call: () => client.callTool({ name: 'hello', arguments: {} }),
    }
  },
}

describe.each(Object.entries(hosts))('%s with a metadata document', (_name, toHost) => {
  it('connects without registering, renews its tokens and loses access after revocation', async () => {
    const host = await startOAuthHost('Example Host', DOCUMENT)
    const first = toHost(host.provider)
    await expect(first.connect()).rejects.toThrow(/unauthorized/i)
    expect(host.asked()?.searchParams.get('client_id')).toBe(DOCUMENT)
    const page = await agree(host.asked())
    expect(page).toContain('Example Host')
    expect(page).toContain('host.example.com')
    await first.finish(await host.cameBack())
    const client = toHost(host.provider)
    await client.connect()
    expect((await client.call()).structuredContent).toEqual({ hello: 1 })

    const before = host.tokens()
    if (!before?.refresh_token) throw new Error('no refresh token')
    host.setTokens({ ...before, access_token: 'ended' })
    await client.call()
    const after = host.tokens()
    expect(after?.refresh_token).not.toBe(before.refresh_token)

    const form = { token: after?.refresh_token ?? '', client_id: DOCUMENT }
    const revoked = await fetch(`${served.origin}/mcp/oauth/revoke`, {
      method: 'POST',
      body: new URLSearchParams(form),
    })
    expect(revoked.status).toBe(200)
    await expect(client.call()).rejects.toThrow(/unauthorized/i)
    expect(fetched).toContain(DOCUMENT)
    await host.stop()
  })

  it('registers when documents are not advertised, and so connects without outbound access', async () => {
    const host = await startOAuthHost('Example Host', 'https://missing.example.com/client.json')
    const first = toHost(host.provider, laptop)
    await expect(first.connect()).rejects.toThrow(/unauthorized/i)
    expect(host.asked()?.searchParams.get('client_id')).not.toContain(':')
    await agree(host.asked(), laptop)
    await first.finish(await host.cameBack())
    const client = toHost(host.provider, laptop)
    await client.connect()
    expect((await client.call()).structuredContent).toEqual({ hello: 1 })
    await host.stop()
  })

  it('does not register instead when its document is missing', async () => {
    const host = await startOAuthHost('Example Host', 'https://missing.example.com/client.json')
    await expect(toHost(host.provider).connect()).rejects.toThrow(/unauthorized/i)
    const answer = await served.browser.get(`${host.asked()?.pathname}${host.asked()?.search}`)
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
    expect(await (await served.browser.get('/.well-known/oauth-authorization-server')).json()).toMatchObject({
      client_id_metadata_document_supported: true,
    })
    await host.stop()
  })
})

describe('Server without outbound access', () => {
  it('explains the cause and the setting on the person’s page, and reports the outage at /_fw/mcp/endpoint', async () => {
    const state = async () => (await (await laptop.browser.get('/_fw/mcp/endpoint')).json()).documents
    expect(await state()).toEqual({ isAdvertised: false, outage: null })
    const query = authorizeQuery(OUT_OF_REACH, { redirect_uri: 'http://127.0.0.1/callback' })
    const answer = await laptop.browser.get(`/mcp/oauth/authorize${query}`)
    const html = await answer.text()
    expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
    for (const text of ['it did not answer in time', 'no way out', 'FW_CLIENT_DOCUMENTS=off'])
      expect(html).toContain(text)
    expect(await state()).toEqual({ isAdvertised: false, outage: { cause: 'timeout', failedAt: expect.any(Number) } })
  })
})
