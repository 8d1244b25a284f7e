import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type McpApplication, startMcpApplication } from '../../../fixtures/mcp/application'
import { codeOf } from '../../../support/error-code'
import { plainRequest } from '../../../support/http'
import { sendMessage } from '../../../support/mcp'
import { STATIC_TOKEN } from '../../../support/secrets'

let application: McpApplication
beforeAll(async () => {
  application = await startMcpApplication({ env: { FW_MCP_ALLOWED_ORIGINS: 'https://inspector.example.com' } })
})
afterAll(() => application.close())

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
const send = (body: unknown, headers?: Record<string, string>, init?: RequestInit) =>
  sendMessage(application.origin, body, headers, init)
const CHALLENGE = /^Bearer resource_metadata="([^"]+)", scope="mcp:read mcp:write"(, error="invalid_token")?$/

describe('MCP request without a valid token', () => {
  it.each([
    ['none', '', undefined],
    ['another scheme', 'Basic YTpi', undefined],
    ['an empty one', 'Bearer ', 'invalid_token'],
    ['an unknown one', 'Bearer nobody-knows-this-token-at-all-32', 'invalid_token'],
    ['almost the right one', `Bearer ${STATIC_TOKEN.slice(0, -1)}`, 'invalid_token'],
  ])('returns 401 with a challenge: %s', async (_name, authorization, error) => {
    const answer = await send(ping, { authorization })
    const challenge = answer.headers.get('www-authenticate') ?? ''
    expect(answer.status).toBe(401)
    expect(challenge).toMatch(CHALLENGE)
    expect(challenge).toContain(`${application.origin}/.well-known/oauth-protected-resource/mcp`)
    expect(challenge.includes('error=')).toBe(error !== undefined)
    expect(await codeOf(answer)).toBe('unauthenticated')
  })

  describe('with another host name of this machine', () => {
    const own = () => new URL(application.origin).host
    const port = () => new URL(application.origin).port
    const ask = (host: string, authorization: Record<string, string> = {}) =>
      plainRequest(`${application.origin}/mcp`, { method: 'POST', headers: { host, ...authorization } })

    it.each(['127.0.0.1', '127.1.2.3', '[::1]'])('returns the URL to use for %s', async name => {
      for (const token of ['', 'Bearer nobody-knows-this-token-at-all-32']) {
        const answer = await ask(`${name}:${port()}`, token ? { authorization: token } : {})
        const [, description] = /error_description="([^"]*)"/.exec(answer.headers.get('www-authenticate') ?? '') ?? []
        expect(description).toContain(`Use ${application.origin}/mcp.`)
        expect([answer.status, (await answer.json()).detail]).toEqual([401, description])
      }
    })

    it('returns no hint for its own host name or a foreign one', async () => {
      for (const host of [own(), own().toUpperCase(), `evil.example:${port()}`, '127.0.0.1.evil.example', 'a b']) {
        const answer = await ask(host)
        expect([host, answer.headers.get('www-authenticate')]).toEqual([host, expect.stringMatching(CHALLENGE)])
        expect((await answer.json()).detail).toBeUndefined()
      }
    })
  })

  it('returns 401 for any method, and ignores a token in the URL', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const answer = await fetch(`${application.origin}/mcp?access_token=${STATIC_TOKEN}`, { method })
      expect([answer.status, answer.headers.has('www-authenticate')]).toEqual([401, true])
    }
  })
})

describe('MCP request from a web page', () => {
  it.each(['https://evil.example', 'null', 'http://localhost:1', 'https://inspector.example.com.evil.example'])(
    'returns 403 from %s, which the page can read, and logs the setting once',
    async origin => {
      const asked = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' }
      const preflight = await fetch(`${application.origin}/mcp`, { method: 'OPTIONS', headers: { origin, ...asked } })
      expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([204, 'authorization'])
      for (const turn of [1, 2]) {
        const answer = await send(ping, { origin }, { credentials: 'omit' })
        expect([turn, answer.status]).toEqual([turn, 403])
        expect(await answer.json()).toMatchObject({
          code: 'cross-origin',
          detail: expect.stringContaining('FW_MCP_ALLOWED_ORIGINS'),
        })
        for (const { headers } of [preflight, answer]) {
          expect(headers.get('access-control-allow-origin')).toBe('*')
          expect(headers.has('access-control-allow-credentials')).toBe(false)
        }
      }
      const told = application.lines().filter(line => line.origin === origin)
      expect(told).toMatchObject([{ level: 'warn', message: expect.stringContaining('FW_MCP_ALLOWED_ORIGINS') }])
    },
  )

  it('is accepted from the app’s own pages and listed origins, with CORS headers for listed origins', async () => {
    expect((await send(ping, { origin: application.origin })).status).toBe(200)
    const listed = await send(ping, { origin: 'https://inspector.example.com' })
    expect([listed.status, listed.headers.get('access-control-allow-origin')]).toEqual([
      200,
      'https://inspector.example.com',
    ])
    expect(listed.headers.get('vary')).toContain('origin')
    expect(listed.headers.get('access-control-allow-credentials')).toBeNull()
  })

  it('accepts a preflight request without a token', async () => {
    const headers = {
      origin: 'https://inspector.example.com',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,mcp-param-region',
    }
    const answer = await fetch(`${application.origin}/mcp`, { method: 'OPTIONS', headers })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('access-control-allow-headers')).toBe('authorization,content-type,mcp-param-region')
  })
})

describe('invalid MCP message', () => {
  it.each([
    ['a list of messages', [ping], -32_600],
    ['no id', { ...ping, id: null }, -32_600],
    ['an id that is too long', { ...ping, id: 'x'.repeat(300) }, -32_600],
    ['an id that is no whole number', { ...ping, id: 1.5 }, -32_600],
    ['no JSON', '{"jsonrpc":', -32_700],
    ['a text', '"ping"', -32_600],
    ['nothing', 'null', -32_600],
    ['no method', { jsonrpc: '2.0', id: 1 }, -32_600],
  ])('returns the protocol’s error for %s', async (_name, body, code) => {
    const answer = await send(body)
    expect([answer.status, (await answer.json()).error.code]).toEqual([400, code])
  })

  it.each([
    ['no method', { jsonrpc: '2.0', id: 7 }, {}],
    ['parameters that are a list', { ...ping, id: 7, params: [] }, {}],
    ['too many levels', { ...ping, id: 7, params: JSON.parse(`{"x":${'['.repeat(99)}${']'.repeat(99)}}`) }, {}],
    ['an unknown revision', { ...ping, id: 7 }, { 'mcp-protocol-version': '1999-01-01' }],
    ['a revision without its envelope', { ...ping, id: 7 }, { 'mcp-protocol-version': '2026-07-28' }],
    ['an Accept without JSON', { ...ping, id: 7 }, { accept: 'text/html' }],
    ['an unknown method', { ...ping, id: 7, method: 'x' }, {}],
  ])('returns an error with the id of the request for %s', async (_name, body, headers) => {
    expect(await (await send(body, headers)).json()).toMatchObject({ id: 7, error: { message: expect.any(String) } })
  })

  it('counts “params: null” as absent', async () => {
    for (const method of ['ping', 'tools/list']) {
      const answer = await send({ ...ping, method, params: null })
      expect([answer.status, await answer.json()]).toMatchObject([200, { id: 1, result: {} }])
    }
  })

  it.each(['2026-07-28', '2099-01-01', '1999-01-01'])(
    'negotiates the revision when “initialize” and its header name %s',
    async version => {
      const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'host', version: '1' } }
      const answer = await send({ ...ping, method: 'initialize', params }, { 'mcp-protocol-version': version })
      expect([answer.status, await answer.json()]).toMatchObject([200, { result: { protocolVersion: '2025-11-25' } }])
    },
  )

  it('is rejected by size, media type, accepted types, protocol version and method', async () => {
    expect((await send({ ...ping, params: { x: 'x'.repeat(1024 * 1024) } })).status).toBe(413)
    expect((await send('a=b', { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await send(ping, { accept: 'text/event-stream, text/html' })).status).toBe(406)
    expect((await send(ping, { 'mcp-protocol-version': '1999-01-01' })).status).toBe(400)
    const get = await fetch(`${application.origin}/mcp`, { headers: { authorization: `Bearer ${STATIC_TOKEN}` } })
    expect([get.status, get.headers.get('allow')]).toEqual([405, 'POST'])
  })
})

describe('MCP response', () => {
  it('is JSON with no-store and without a session id', async () => {
    const answer = await send(ping)
    expect([answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
      'application/json',
      'no-store',
    ])
    expect(answer.headers.has('mcp-session-id')).toBe(false)
    expect(await answer.json()).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
  })

  it('is 202 for a notification', async () => {
    const answer = await send({ jsonrpc: '2.0', method: 'notifications/initialized' })
    expect([answer.status, await answer.text()]).toEqual([202, ''])
  })

  it('has status 200 and a protocol error when an earlier host calls an unknown method', async () => {
    const answer = await send({ ...ping, method: 'unknown/method' })
    expect([answer.status, (await answer.json()).error.code]).toEqual([200, -32_601])
  })

  it('becomes an event stream when messages precede the result, and keeps each event on one line', async () => {
    const answer = await send({
      ...ping,
      method: 'tools/call',
      params: { name: 'test_tool_with_logging', arguments: {} },
    })
    expect([answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
      'text/event-stream',
      'no-store',
    ])
    const events = (await answer.text()).split('\n\n').filter(Boolean)
    expect(events).toHaveLength(4)
    for (const event of events) expect(event).toMatch(/^event: message\ndata: \{.*\}$/)
  })
})
