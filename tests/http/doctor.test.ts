import { describe, expect, it } from 'vitest'
import { fwBeside } from '../support/fw'
import { useServer } from '../support/use-server'
import { serve } from '../support/web-server'

const server = useServer()

const doctor = (args: string[], env: Record<string, string> = {}) =>
  fwBeside(server, ['doctor', ...args], { NODE_ENV: 'test', FW_BASE_URL: server.origin, ...env })

describe('fw doctor with a running server', () => {
  it('reports database, migrations, base URL and MCP sign-in as ready and exits with 0', async () => {
    const { code, out, both } = await doctor(['--only', 'database,migrations,base-url,mcp'])
    expect(out.split('\n')).toEqual([
      expect.stringMatching(/^✓ database: .* can be written, journal mode wal$/),
      expect.stringMatching(/^✓ migrations: all \d+ are applied$/),
      `✓ base-url: ${server.origin} answers and is ready`,
      `✓ mcp: ${server.origin}/mcp leads hosts to the sign-in (401, resource and server metadata)`,
      'All is well.',
      '',
    ])
    expect(code).toBe(0)
    expect(both).not.toContain(server.secret)
  })

  it('detects a proxy that removes the WWW-Authenticate challenge and exits with 1', async () => {
    const proxy = await serve(async request => {
      const { pathname } = new URL(request.url)
      const answer = await fetch(server.origin + pathname, {
        method: request.method,
        headers: { host: new URL(server.origin).host },
      })
      const headers = new Headers(answer.headers)
      headers.delete('www-authenticate')
      return new Response(await answer.arrayBuffer(), { status: answer.status, headers })
    })
    const { code, out } = await doctor(['--only', 'mcp', '--json'], { FW_BASE_URL: proxy.origin })
    await proxy.stop()
    const { status, findings } = JSON.parse(out)
    expect([code, status]).toEqual([1, 'failed'])
    expect(findings[0].text).toContain('401 without WWW-Authenticate')
    expect(findings[0].todo).toContain('WWW-Authenticate unchanged')
  })

  it('suggests a check for an unknown one, lists the existing checks and exits with 2', async () => {
    const { code, err } = await doctor(['--only', 'databse'])
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/^There is no check databse\. Did you mean database\? There are settings, node, /),
    ])
  })
})
