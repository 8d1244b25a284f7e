import { afterEach, describe, expect, it } from 'vitest'
import { probe } from '#fairway/cli/mcp/probe'
import { type Faults, json, type McpEndpoint, serverMetadata, startMcpEndpoint } from '../../../support/mcp'

const endpoints: McpEndpoint[] = []
afterEach(async () => {
  for (const endpoint of endpoints.splice(0)) await endpoint.stop()
})

/** Runs the probe with a browser that approves everything. */
async function run(toFaults?: (origin: string) => Faults, isInteractive = true, documentPath?: string) {
  const endpoint = await startMcpEndpoint(toFaults)
  endpoints.push(endpoint)
  const lines: string[] = []
  const say = (line: string) => {
    lines.push(line)
    const address = /http:\S+\/authorize\S+/.exec(line)?.[0]
    if (address) void fetch(address).catch(() => undefined)
  }
  const document = documentPath === undefined ? undefined : new URL(documentPath, endpoint.origin)
  const works = await probe({ url: endpoint.url, document, isInteractive, signInLimitInMs: 3000, say })
  return { works, lines, text: lines.join('\n'), endpoint }
}

const RESOURCE = '/.well-known/oauth-protected-resource/mcp'
const SERVER = '/.well-known/oauth-authorization-server'
const withServer = (change: object) => (origin: string) => ({
  [SERVER]: (_: unknown, response: Parameters<typeof json>[0]) =>
    json(response, { ...serverMetadata(origin), ...change }),
})

describe('probe', () => {
  it('completes every step of an MCP host', async () => {
    const { works, lines, endpoint } = await run()
    expect(lines.filter(line => /^[✓✗]/.test(line))).toEqual([
      '✓ challenge: 401, scope mcp:read',
      `✓ resource metadata: ${endpoint.url.href}`,
      `✓ server metadata: issuer ${endpoint.origin}`,
      '✓ client registered: client-1',
      '✓ authorized, with iss and PKCE; token for mcp:read offline_access',
      '✓ refreshed, with rotation',
      '✓ tools/list: 1 tools (ping)',
      '✓ revoked: the next call is answered 401',
    ])
    expect(works).toBe(true)
  })

  it('stops before the sign-in when it is not interactive', async () => {
    const { works, text, endpoint } = await run(undefined, false)
    expect([works, endpoint.tokenRequests]).toEqual([true, []])
    expect(text).toContain('Stopped before the sign-in')
  })

  it.each([
    [true, 'metadata documents are advertised'],
    [false, 'metadata documents are not advertised: hosts register themselves'],
    [undefined, 'metadata documents are not advertised'],
  ])('reports whether metadata documents are advertised: %s', async (supported, said) => {
    const { text } = await run(withServer({ client_id_metadata_document_supported: supported }), false)
    expect(text).toContain(said)
  })

  it('sends a metadata document like a host and reports the server’s response', async () => {
    const asked: string[] = []
    const faults = (answer: (response: Parameters<typeof json>[0]) => unknown) => (): Faults => ({
      '/client.json': (_, response) => json(response, { redirect_uris: ['http://127.0.0.1/callback'] }),
      '/authorize': (request, response) => {
        asked.push(request.url ?? '')
        answer(response)
      },
    })
    const good = await run(
      faults(response => response.writeHead(302, { location: '/sign-in' }).end()),
      false,
      '/client.json',
    )
    expect([good.works, good.text]).toEqual([true, expect.stringMatching(/✓ metadata document: .*\/client\.json/)])
    const query = new URL(asked[0] ?? '', good.endpoint.origin).searchParams
    expect([query.get('client_id'), query.get('redirect_uri')]).toEqual([
      `${good.endpoint.origin}/client.json`,
      'http://127.0.0.1/callback',
    ])
    const page = '<html><style>p{}</style><main><p>The name of its host is not known.</p></main></html>'
    const bad = await run(
      faults(response => response.writeHead(400, { 'content-type': 'text/html' }).end(page)),
      false,
      '/client.json',
    )
    expect([bad.works, bad.text]).toEqual([false, expect.stringContaining('400: The name of its host is not known.')])
    const missing = await run(undefined, false, '/client.json')
    expect([missing.works, missing.text]).toEqual([false, expect.stringMatching(/✗ GET .*\/client\.json/)])
  })

  it('prints no refresh token and no authorization code', async () => {
    const { text, endpoint } = await run()
    const secrets = endpoint.tokenRequests
      .flatMap(form => [form.get('code'), form.get('refresh_token')])
      .filter(Boolean)
    expect(secrets).toHaveLength(2)
    for (const secret of secrets) expect(text).not.toContain(secret)
  })
})

const broken: [name: string, toFaults: (origin: string) => Faults, step: RegExp, expected: RegExp, got: RegExp][] = [
  [
    'an open endpoint',
    () => ({ '/mcp': (_, response) => json(response, { jsonrpc: '2.0', id: 1, result: {} }) }),
    /POST .*\/mcp without a token/,
    /401/,
    /200/,
  ],
  [
    'a 401 without a challenge',
    () => ({ '/mcp': (_, response) => response.writeHead(401).end() }),
    /without a token/,
    /Bearer/,
    /without WWW-Authenticate/,
  ],
  [
    'another kind of challenge',
    () => ({ '/mcp': (_, response) => response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end() }),
    /without a token/,
    /Bearer/,
    /Basic/,
  ],
  [
    'a page in place of the resource metadata',
    () => ({ [RESOURCE]: (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>') }),
    /oauth-protected-resource/,
    /RFC 9728/,
    /content-type|JSON/i,
  ],
  ['no resource metadata', () => ({ [RESOURCE]: undefined }), /oauth-protected-resource/, /RFC 9728/, /404/],
  [
    'the metadata of another resource',
    origin => ({
      [RESOURCE]: (_, response) => json(response, { resource: `${origin}/`, authorization_servers: [origin] }),
    }),
    /oauth-protected-resource/,
    /\/mcp \(RFC 9728\)/,
    /resource/,
  ],
  [
    'no authorization server',
    origin => ({ [RESOURCE]: (_, response) => json(response, { resource: `${origin}/mcp` }) }),
    /oauth-protected-resource/,
    /authorization_servers/,
    /none/,
  ],
  ['no server metadata', () => ({ [SERVER]: undefined }), /metadata of http/, /RFC 8414/, /404/],
  ['another issuer', withServer({ issuer: 'https://other.example' }), /metadata of http/, /issuer is http:/, /issuer/],
  [
    'PKCE by plain only',
    withServer({ code_challenge_methods_supported: ['plain'] }),
    /metadata of http/,
    /S256 in code_challenge_methods_supported/,
    /plain/,
  ],
  [
    'clients with secrets only',
    withServer({ token_endpoint_auth_methods_supported: ['client_secret_basic'] }),
    /metadata of http/,
    /none in token_endpoint_auth_methods_supported/,
    /client_secret_basic/,
  ],
  [
    'no registration',
    withServer({ registration_endpoint: undefined }),
    /metadata of http/,
    /registration_endpoint/,
    /nothing/,
  ],
  [
    'an endpoint that is not encrypted',
    withServer({ token_endpoint: 'http://other.example/token' }),
    /metadata of http/,
    /./,
    /not https/,
  ],
  [
    'a refused registration',
    () => ({ '/register': (_, response) => json(response, { error: 'invalid_client_metadata' }, 400) }),
    /POST .*\/register/,
    /client_id/,
    /./,
  ],
  [
    'a foreign issuer on the way back',
    () => ({
      '/authorize': (request, response) => comeBack(request.url, response, { code: 'x', iss: 'https://evil.example' }),
    }),
    /way back/,
    /iss=/,
    /iss/,
  ],
  [
    'no issuer on the way back',
    () => ({ '/authorize': (request, response) => comeBack(request.url, response, { code: 'x' }) }),
    /way back/,
    /iss=/,
    /iss/,
  ],
  [
    'a person who says no',
    origin => ({
      '/authorize': (request, response) => comeBack(request.url, response, { error: 'access_denied', iss: origin }),
    }),
    /way back/,
    /a code/,
    /access_denied/,
  ],
  [
    'a code that is not accepted',
    () => ({ '/token': (_, response) => json(response, { error: 'invalid_grant', error_description: 'used' }, 400) }),
    /\/token \(authorization code\)/,
    /access token/,
    /invalid_grant: used/,
  ],
  [
    'tokens that the endpoint does not know',
    () => ({
      '/token': (_, response) => json(response, { access_token: 'x', token_type: 'Bearer', expires_in: 3600 }),
    }),
    /tools\/list/,
    /tools/,
    /./,
  ],
  [
    'a refresh token that does not change',
    () => ({
      '/token': (_, response) =>
        json(response, { access_token: 'x', token_type: 'Bearer', expires_in: 3600, refresh_token: 'same' }),
    }),
    /refresh/,
    /rotation/,
    /same/,
  ],
  [
    'a revocation that does nothing',
    () => ({ '/revoke': (_, response) => response.writeHead(200).end() }),
    /after revocation/,
    /401/,
    /200/,
  ],
]

function comeBack(url: string | undefined, response: Parameters<typeof json>[0], query: Record<string, string>): void {
  const { searchParams } = new URL(url ?? '', 'http://localhost')
  const back = new URL(searchParams.get('redirect_uri') ?? '')
  back.search = new URLSearchParams({ state: searchParams.get('state') ?? '', ...query }).toString()
  response.writeHead(302, { location: back.href }).end()
}

describe('probe reports the failed step for', () => {
  it.each(broken)('%s', async (_name, toFaults, step, expected, got) => {
    const { works, lines } = await run(toFaults)
    const at = lines.findIndex(line => line.startsWith('✗'))
    expect(works).toBe(false)
    expect(lines[at]).toMatch(step)
    expect(lines[at + 1]).toMatch(expected)
    expect(lines[at + 2]).toMatch(got)
  })

  it('a server that refuses the connection', async () => {
    const lines: string[] = []
    const say = (line: string) => void lines.push(line)
    const works = await probe({
      url: new URL('http://127.0.0.1:19999/mcp'),
      isInteractive: false,
      signInLimitInMs: 1,
      say,
    })
    expect([works, lines.join('\n')]).toEqual([false, expect.stringContaining('ECONNREFUSED')])
  })

  it('a sign-in that never returns from the browser', async () => {
    const { works, text } = await run(() => ({ '/authorize': (_, response) => response.end('closed') }))
    expect([works, text]).toEqual([false, expect.stringMatching(/Nobody came back .* 3 seconds/)])
  })
})
