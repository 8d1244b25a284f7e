import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as EarlierStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { beforeAll, describe, expect, it } from 'vitest'
import { decideDevice } from '../support/device-grant'
import { fw, startFw } from '../support/fw'
import { createBrowser, signUp } from '../support/http'
import { startMcpEndpoint } from '../support/mcp'
import { decide } from '../support/oauth-host'
import { confirmAddress } from '../support/query'
import { STATIC_TOKEN } from '../support/secrets'
import { databaseOf, freePort, startServer } from '../support/server'
import { useServer } from '../support/use-server'

const person = { email: 'ada@example.test', password: 'quiet harbour lantern 42', name: 'Ada' }
const folder = () => mkdtempSync(join(tmpdir(), 'fw-home-'))

const server = useServer({ env: { ACCESS_TOKEN: STATIC_TOKEN, FW_OWNER_EMAIL: person.email } })
beforeAll(async () => {
  await signUp(createBrowser(server.origin), person)
  await confirmAddress(server, person.email)
})

describe('fw connect', () => {
  it('writes the configuration file of a host once and keeps its existing entries', async () => {
    const home = folder()
    const file = join(home, '.cursor', 'mcp.json')
    const args = ['connect', 'https://app.example.com', '--client', 'cursor']
    const first = await fw(args, { HOME: home })
    expect([first.code, first.err, first.out]).toEqual([0, '', expect.stringContaining(`fairway is in ${file}.`)])
    const text = readFileSync(file, 'utf8')
    expect(JSON.parse(text)).toEqual({ mcpServers: { fairway: { url: 'https://app.example.com/mcp' } } })
    const again = await fw(args, { HOME: home })
    expect([again.code, again.out]).toEqual([0, expect.stringContaining('Nothing was changed')])
    const other = await fw([...args, '--name', 'other'], { HOME: home })
    expect(other.out).toMatch(/The file of before is .*\.bak\./)
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')).mcpServers)).toEqual(['fairway', 'other'])
    expect(readdirSync(join(home, '.cursor'))).toHaveLength(2)
  })

  it('leaves a broken file unchanged and reports where it is broken and what to add', async () => {
    const home = folder()
    writeFileSync(join(home, '.claude.json'), '{\n  "mcpServers": {,}\n}')
    const { code, out, err } = await fw(['connect', '--client', 'claude-code'], { HOME: home })
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(/\.claude\.json cannot be read \(line 2, column 18\)\. Nothing was changed\..*"type": "http"/s)
    expect(readdirSync(home)).toEqual(['.claude.json'])
  })

  it('prints the configuration, lists the hosts and rejects invalid arguments', async () => {
    const home = folder()
    const printed = await fw(['connect', '--client', 'codex', '--print'], { HOME: home })
    expect([printed.code, printed.out]).toEqual([0, '[mcp_servers.fairway]\nurl = "http://localhost:3000/mcp"\n'])
    const listed = await fw(['connect'], { HOME: home, FW_BASE_URL: 'https://app.example.com' })
    expect([listed.code, listed.out]).toEqual([
      0,
      expect.stringContaining('fw connect https://app.example.com/mcp --client vscode'),
    ])
    for (const args of [
      ['--client', 'emacs'],
      ['http://app.example.com', '--client', 'cursor'],
      ['--client', 'cursor', '--name', 'a b'],
    ])
      expect([args, (await fw(['connect', ...args], { HOME: home })).code]).toEqual([args, 2])
    expect(readdirSync(home)).toEqual([])
  })
})

describe('fw mcp stdio', () => {
  const program = (args: string[], env: Record<string, string> = {}) => ({
    command: 'node',
    args: ['layers/fairway/cli/fw.mjs', 'mcp', 'stdio', ...args],
    env: { PATH: process.env.PATH ?? '', HOME: folder(), ...env },
    stderr: 'pipe' as const,
  })

  it('serves a host of revision 2026-07-28', async () => {
    const client = new Client({ name: 'host', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    await client.connect(new StdioClientTransport(program([`${server.origin}/mcp`], { FW_TOKEN: STATIC_TOKEN })))
    expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28')
    const { structuredContent } = await client.callTool({ name: 'create-note', arguments: { title: 'By stdio' } })
    expect(structuredContent).toMatchObject({ note: { title: 'By stdio' } })
    await client.close()
  })

  it('serves a host of the earlier revisions with concurrent calls', async () => {
    const client = new EarlierClient({ name: 'host', version: '1' })
    await client.connect(new EarlierStdio(program([server.origin], { FW_TOKEN: STATIC_TOKEN })))
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('list-notes')
    const calls = Array.from({ length: 8 }, () => client.callTool({ name: 'list-notes', arguments: {} }))
    expect((await Promise.all(calls)).map(({ isError }) => isError ?? false)).toEqual(Array(8).fill(false))
    await client.close()
  })

  it('uses the folder’s static token for its own application, and for no other address', async () => {
    const client = new EarlierClient({ name: 'host', version: '1' })
    await client.connect(
      new EarlierStdio(program([server.origin], { ACCESS_TOKEN: STATIC_TOKEN, FW_BASE_URL: server.origin })),
    )
    expect((await client.listTools()).tools.length).toBeGreaterThan(3)
    await client.close()
    const endpoint = await startMcpEndpoint()
    const other = new EarlierClient({ name: 'host', version: '1' })
    const transport = new EarlierStdio(program([endpoint.url.href], { ACCESS_TOKEN: STATIC_TOKEN }))
    const shown = new Promise<string>(resolve => {
      transport.stderr?.on('data', chunk => {
        const address = /http:\S+\/authorize\S+/.exec(String(chunk))?.[0]
        if (address) resolve(address)
      })
    })
    const connected = other.connect(transport)
    await fetch(await shown)
    await connected
    expect((await other.listTools()).tools.map(({ name }) => name)).toEqual(['ping'])
    expect(endpoint.authorizations.join(' ')).not.toContain(STATIC_TOKEN)
    await other.close()
    await endpoint.stop()
  })

  it('returns an error when its token is rejected and writes only that to standard output', async () => {
    const child = startFw(['mcp', 'stdio', server.origin], { FW_TOKEN: 'not-the-token', HOME: folder() })
    child.write('{"jsonrpc":"2.0","id":7,"method":"tools/list"}\n')
    await child.until(/"id":7/)
    child.end()
    const { code, out, err } = await child.ended
    const lines = out
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(lines).toEqual([{ jsonrpc: '2.0', id: 7, error: expect.objectContaining({ code: -32_000 }) }])
    expect([code, err]).toEqual([0, expect.stringContaining('does not accept the static token')])
    expect(err).not.toContain('not-the-token')
  })

  it('waits for a server that is not running yet', async () => {
    const port = await freePort()
    const origin = `http://localhost:${port}`
    const child = startFw(['mcp', 'stdio', origin], { FW_TOKEN: STATIC_TOKEN, HOME: folder() })
    child.write('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n')
    await child.until(/does not answer yet/)
    const late = await startServer({
      env: { PORT: String(port), FW_BASE_URL: origin, ACCESS_TOKEN: STATIC_TOKEN, FW_OWNER_EMAIL: person.email },
      database: databaseOf(server),
    })
    await child.until(/"id":1/)
    child.end()
    expect((await child.ended).code).toBe(0)
    await late.stop()
  })

  it('removes its lock file when the host stops it before sign-in', async () => {
    const endpoint = await startMcpEndpoint()
    const home = folder()
    const child = startFw(['mcp', 'stdio', endpoint.url.href], { HOME: home })
    child.write('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n')
    await child.until(/\/authorize/)
    const files = join(home, '.config', 'fairway', 'mcp')
    expect(readdirSync(files)).toEqual([expect.stringMatching(/\.lock$/)])
    child.kill()
    expect((await child.ended).code).toBe(0)
    expect(readdirSync(files)).toEqual([])
    await endpoint.stop()
  })

  it('exits with 2 for an address without encryption', async () => {
    const { code, out, err } = await fw(['mcp', 'stdio', 'http://app.example.com'])
    expect([code, out, err]).toEqual([2, '', expect.stringContaining('not encrypted')])
  })
})

describe('fw login --device', () => {
  it('shows a code, waits for the person and stores the tokens for fw mcp stdio', async () => {
    const home = folder()
    const login = startFw(['login', server.origin, '--device'], { HOME: home })
    const code = await login.until(/enter the code ([B-Z]{4}-[B-Z]{4})/)
    expect(login.output()).toContain(`Open ${server.origin}/device on any device`)
    const browser = createBrowser(server.origin)
    await browser.post('/_fw/auth/sign-in/email', { json: person })
    await decideDevice(browser, `/device?user_code=${code}`)
    const { code: exit, out, err } = await login.ended
    expect([exit, err, out]).toEqual([0, '', expect.stringContaining(`Connected to ${new URL(server.origin).host}.`)])
    const files = join(home, '.config', 'fairway', 'mcp')
    const [file = ''] = readdirSync(files)
    expect([readdirSync(files).length, statSync(join(files, file)).mode & 0o777]).toEqual([1, 0o600])

    const client = new EarlierClient({ name: 'host', version: '1' })
    const args = ['layers/fairway/cli/fw.mjs', 'mcp', 'stdio', server.origin, '--device']
    const env = { PATH: process.env.PATH ?? '', HOME: home }
    await client.connect(new EarlierStdio({ command: 'node', args, env, stderr: 'pipe' }))
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('list-notes')
    await client.close()
  })

  it('ends with 1 after a refusal, and fw mcp stdio shows its code on standard error', async () => {
    const child = startFw(['mcp', 'stdio', server.origin, '--device'], { HOME: folder() })
    child.write('{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n')
    const login = startFw(['login', server.origin, '--device'], { HOME: folder() })
    const browser = createBrowser(server.origin)
    await browser.post('/_fw/auth/sign-in/email', { json: person })
    const code = await login.until(/enter the code (\S+)\./)
    await decideDevice(browser, `/device?user_code=${code}`, 'deny')
    await child.until(/fw: Open \S+\/device on any device and enter the code/)
    child.kill()
    expect(await login.ended).toMatchObject({ code: 1, err: expect.stringContaining('access_denied') })
    expect((await child.ended).out).toBe('')
  })
})

describe('fw mcp probe', () => {
  it('names the broken step and exits with 1', async () => {
    const endpoint = await startMcpEndpoint(() => ({ '/.well-known/oauth-authorization-server': undefined }))
    const { code, out } = await fw(['mcp', 'probe', endpoint.url.href])
    expect([code, out]).toEqual([1, expect.stringMatching(/✗ GET the metadata of http.*expected.*got +404/s)])
    await endpoint.stop()
  })

  it('reports a denied request', async () => {
    const child = startFw(['mcp', 'probe', server.origin], { HOME: folder() })
    const browser = createBrowser(server.origin)
    await browser.post('/_fw/auth/sign-in/email', { json: person })
    const { search } = new URL(await child.until(/(http:\S+\/mcp\/oauth\/authorize\S+)/))
    const denied = await decide(browser, search, 'deny')
    // The program ends once the browser is back.
    await fetch(denied.headers.get('location') ?? '').catch(() => undefined)
    const { code, out } = await child.ended
    expect([code, out]).toEqual([1, expect.stringMatching(/✗ the way back from the browser.*access_denied/s)])
  })

  it('exits with 2 for an invalid address or timeout', async () => {
    expect((await fw(['mcp', 'probe', 'ftp://x'])).code).toBe(2)
    expect((await fw(['mcp', 'probe', '--timeout', '0'])).code).toBe(2)
  })
})
