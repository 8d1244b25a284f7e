import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { readTokens, tokenFile, tokenFolder, withTokenLock, writeTokens } from '#fairway/cli/mcp/token-file'
import { createTokenSource } from '#fairway/cli/mcp/token-source'
import { type McpEndpoint, startMcpEndpoint } from '../../../support/mcp'

const endpoints: McpEndpoint[] = []
afterEach(async () => {
  for (const endpoint of endpoints.splice(0)) await endpoint.stop()
})

async function start(): Promise<{ endpoint: McpEndpoint; file: string; folder: string }> {
  const endpoint = await startMcpEndpoint()
  endpoints.push(endpoint)
  const folder = join(mkdtempSync(join(tmpdir(), 'fw-tokens-')), 'fairway', 'mcp')
  return { endpoint, folder, file: tokenFile(folder, endpoint.url) }
}

function source({ endpoint, file }: { endpoint: McpEndpoint; file: string }) {
  const shown: string[] = []
  const say = (line: string) => {
    const address = /http:\S+\/authorize\S+/.exec(line)?.[0]
    if (!address) return
    shown.push(address)
    void fetch(address)
  }
  return { shown, ...createTokenSource({ url: endpoint.url, file, clientName: 'test', signInLimitInMs: 5000, say }) }
}

const grants = ({ tokenRequests }: McpEndpoint) => tokenRequests.map(form => form.get('grant_type'))

describe('createTokenSource', () => {
  it('requests tokens once and stores them for their owner only', async () => {
    const place = await start()
    const first = source(place)
    const token = await first.get()
    expect(await first.get()).toBe(token)
    expect(await source(place).get()).toBe(token)
    expect([first.shown.length, place.endpoint.registrations.length]).toEqual([1, 1])
    expect(statSync(place.file).mode & 0o777).toBe(0o600)
    expect(statSync(place.folder).mode & 0o777).toBe(0o700)
    expect(readdirSync(place.folder)).toHaveLength(1)
    expect(JSON.parse(readFileSync(place.file, 'utf8')).url).toBe(place.endpoint.url.href)
  })

  it('registers a native public client and sends PKCE, state and the resource', async () => {
    const place = await start()
    const { get, shown } = source(place)
    await get()
    expect(place.endpoint.registrations).toMatchObject([
      { redirect_uris: ['http://127.0.0.1/callback'], token_endpoint_auth_method: 'none', application_type: 'native' },
    ])
    const query = Object.fromEntries(new URL(shown[0] ?? '').searchParams)
    expect(query).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      resource: place.endpoint.url.href,
      scope: 'mcp:read offline_access',
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
    })
    expect(query.state?.length).toBeGreaterThan(40)
    expect(place.endpoint.tokenRequests[0]?.get('resource')).toBe(place.endpoint.url.href)
  })

  it('refreshes tokens before they expire, once for all waiting callers', async () => {
    const place = await start()
    await source(place).get()
    const tokens = await readTokens(place.file)
    if (!tokens) throw new Error('none kept')
    await writeTokens(place.file, { ...tokens, expiresAt: Date.now() + 1000 })
    const [one, two] = [source(place), source(place)]
    const all = await Promise.all([one.get(), one.get(), two.get(), two.get()])
    expect(new Set(all).size).toBe(1)
    expect(all[0]).not.toBe(tokens.accessToken)
    expect(grants(place.endpoint)).toEqual(['authorization_code', 'refresh_token'])
  })

  it('refreshes a refused token unless another source has already refreshed it', async () => {
    const place = await start()
    const { get, replace } = source(place)
    const refused = await get()
    const next = await replace(refused)
    expect(await source(place).replace(refused)).toBe(next)
    expect(grants(place.endpoint)).toEqual(['authorization_code', 'refresh_token'])
  })

  it('requests new tokens with the same client after the connection was revoked', async () => {
    const place = await start()
    const { get, replace, shown } = source(place)
    const refused = await get()
    place.endpoint.revokeAll()
    expect(await replace(refused)).not.toBe(refused)
    expect([shown.length, place.endpoint.registrations.length]).toEqual([2, 1])
  })

  it('registers again in the same sign-in when the server no longer knows its client', async () => {
    const place = await start()
    const { get, replace, shown } = source(place)
    const refused = await get()
    place.endpoint.forgetClients()
    expect(await replace(refused)).not.toBe(refused)
    expect([shown.length, place.endpoint.registrations.length]).toEqual([2, 2])
  })

  it('uses a separate file per endpoint and ignores the file of another endpoint', async () => {
    const [one, two] = [await start(), await start()]
    expect(tokenFile('/x', one.endpoint.url)).not.toBe(tokenFile('/x', two.endpoint.url))
    await source(one).get()
    await source({ ...two, file: one.file }).get()
    expect(two.endpoint.registrations).toHaveLength(1)
    expect(grants(one.endpoint)).toEqual(['authorization_code'])
  })

  it('replaces an invalid token file', async () => {
    const place = await start()
    await source(place).get()
    writeFileSync(place.file, '{"url": 1')
    await source(place).get()
    expect((await readTokens(place.file))?.url).toBe(place.endpoint.url.href)
    expect(statSync(place.file).mode & 0o777).toBe(0o600)
  })
})

describe('withTokenLock', () => {
  it('runs the work of several processes one at a time', async () => {
    const { file, folder } = await start()
    const log = join(folder, '..', 'log')
    const code = `
      const { createJiti } = await import('jiti')
      const { withTokenLock } = await createJiti(process.cwd() + '/').import(process.cwd() + '/layers/fairway/cli/mcp/token-file.ts')
      const { appendFileSync } = await import('node:fs')
      for (let round = 0; round < 5; round++) await withTokenLock(process.argv[1], async () => {
        appendFileSync(process.argv[2], 'in ')
        await new Promise(resolve => setTimeout(resolve, 20))
        appendFileSync(process.argv[2], 'out ')
      })`
    const ends = [1, 2, 3].map(
      () =>
        new Promise(resolve =>
          spawn('node', ['--input-type=module', '-e', code, file, log], { stdio: 'inherit' }).once('exit', resolve),
        ),
    )
    await withTokenLock(file, async () => undefined)
    expect(await Promise.all(ends)).toEqual([0, 0, 0])
    expect(readFileSync(log, 'utf8')).toBe('in out '.repeat(15))
  })

  it('takes over the lock of a dead process', async () => {
    const { file } = await start()
    await withTokenLock(file, async () => undefined)
    writeFileSync(`${file}.lock`, '')
    utimesSync(`${file}.lock`, new Date(0), new Date(0))
    const inside = { now: 0, most: 0 }
    const work = async () => {
      inside.most = Math.max(inside.most, ++inside.now)
      await new Promise(resolve => setTimeout(resolve, 5))
      inside.now--
    }
    await Promise.all(Array.from({ length: 8 }, () => withTokenLock(file, work)))
    expect(inside.most).toBe(1)
  })

  it('releases the lock when the work fails', async () => {
    const { file } = await start()
    await expect(withTokenLock(file, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await withTokenLock(file, async () => 'yes')).toBe('yes')
  })
})

describe('tokenFolder', () => {
  it.each([
    [{ HOME: '/home/ada' }, 'linux', '/home/ada/.config/fairway/mcp'],
    [{ HOME: '/home/ada', XDG_CONFIG_HOME: '/cfg' }, 'linux', '/cfg/fairway/mcp'],
    [{ HOME: '/Users/ada' }, 'darwin', '/Users/ada/.config/fairway/mcp'],
  ] as const)('for %j on %s returns %s', (env, platform, folder) => {
    expect(tokenFolder(env, platform)).toBe(folder)
  })
})
