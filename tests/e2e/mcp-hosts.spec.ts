import { mkdtempSync, readdirSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as EarlierTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Page } from '@playwright/test'
import { expect, test } from '../support/e2e'
import { type RunningFw, startFw } from '../support/fw'
import { listTools } from '../support/mcp'
import { type OAuthHost, startOAuthHost } from '../support/oauth-host'
import { aPerson, signUp } from '../support/people'

const { email, password } = aPerson()

test.beforeEach(async ({ browser, origin }) => {
  // The account exists, and this test's browser has never visited the server.
  const page = await browser.newPage({ baseURL: origin })
  await signUp(page, origin)
  await page.close()
})

/** Approves as a person does when a host opens the browser: signs in, ticks offline access and allows the host. */
async function agree(page: Page, address: string): Promise<void> {
  await page.goto(address)
  const signIn = page.locator('#sign-in')
  const approve = page.locator('button[name=decision][value=approve]')
  await expect(signIn.or(approve).first()).toBeVisible()
  if (!(await approve.isVisible())) {
    await signIn.locator('input[type=email]').fill(email)
    await signIn.locator('input[type=password]').fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }
  await approve.waitFor()
  await page.locator('input[name=offline_access]').check()
  await approve.click()
}

const call = (origin: string, token: string | undefined) => listTools(`${origin}/mcp`, token)

/** Waits up to 1.5 seconds for the response to a dead token. */
const expectDead = (origin: string, token: string | undefined) =>
  expect.poll(async () => (await call(origin, token)).status, { timeout: 1500, intervals: [100] }).toBe(401)

const libraries = {
  'SDK 1.32': async (origin: string, host: OAuthHost) => {
    const client = new EarlierClient({ name: 'host', version: '1' })
    const transport = new EarlierTransport(new URL(`${origin}/mcp`), { authProvider: host.provider })
    return {
      connect: () => client.connect(transport),
      finish: (query: URLSearchParams) => transport.finishAuth(query.get('code') ?? ''),
      callTool: (name: string, input: Record<string, unknown>) => client.callTool({ name, arguments: input }),
    }
  },
  'client 2.4': async (origin: string, host: OAuthHost) => {
    const client = new Client({ name: 'host', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    const transport = new StreamableHTTPClientTransport(new URL(`${origin}/mcp`), { authProvider: host.provider })
    return {
      connect: () => client.connect(transport),
      finish: (query: URLSearchParams) => transport.finishAuth(query),
      callTool: (name: string, input: Record<string, unknown>) => client.callTool({ name, arguments: input }),
    }
  },
}

/** Signs in through the browser and returns the connected host. */
async function connect(library: keyof typeof libraries, page: Page, origin: string) {
  const host = await startOAuthHost(`Host of ${library}`)
  const first = await libraries[library](origin, host)
  await expect(first.connect()).rejects.toThrow(/unauthorized/i)
  await agree(page, host.asked()?.href ?? '')
  await first.finish(await host.cameBack())
  const client = await libraries[library](origin, host)
  await client.connect()
  return { host, client }
}

for (const library of Object.keys(libraries) as (keyof typeof libraries)[]) {
  test(`${library} connects with only the address, refreshes its token and is revoked in the settings`, async ({
    page,
    origin,
  }) => {
    const { host, client } = await connect(library, page, origin)
    const created = await client.callTool('create-note', { title: `By ${library}` })
    expect(created.structuredContent).toMatchObject({ note: { title: `By ${library}` } })

    const before = host.tokens()
    if (!before) throw new Error('no tokens')
    host.setTokens({ ...before, access_token: 'ended' })
    await client.callTool('list-notes', {})
    expect(host.tokens()?.access_token).not.toBe('ended')
    expect(host.tokens()?.refresh_token).not.toBe(before.refresh_token)

    await page.goto('/settings/apps')
    const row = page.getByRole('region', { name: 'Connected apps' }).getByRole('row', { name: `Host of ${library}` })
    await expect(row).toContainText('Create and edit on your behalf, without deleting')
    await expect(row).toContainText('Stay connected until you revoke access')
    await row.getByRole('button', { name: `Actions for Host of ${library}` }).click()
    await page.getByRole('menuitem', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke now' }).click()
    await expect(page.getByText(`Host of ${library} is no longer connected.`, { exact: true }).first()).toBeVisible()
    await expect(page.getByText('No connected apps yet.')).toBeVisible()
    await expectDead(origin, host.tokens()?.access_token)
    await expect(client.callTool('list-notes', {})).rejects.toThrow(/unauthorized/i)
    expect(host.tokens()).toBeUndefined()
    await host.stop()
  })
}

test('fw mcp probe (oauth4webapi) completes every step including revocation', async ({ page, origin }) => {
  const child = startFw(['mcp', 'probe', origin], { HOME: mkdtempSync(join(tmpdir(), 'fw-home-')) })
  await agree(page, await shownAddress(child))
  const { code, out } = await child.ended
  expect(
    out
      .split('\n')
      .filter(line => /^[✓✗]/.test(line))
      .map(line => line.split(/[:,]/)[0]),
  ).toEqual([
    '✓ challenge',
    '✓ resource metadata',
    '✓ server metadata',
    '✓ client registered',
    '✓ authorized',
    '✓ refreshed',
    '✓ tools/list',
    '✓ revoked',
  ])
  expect(code).toBe(0)
  // The browser can still be redirecting to the program, which has ended.
  await expect(() => page.goto('/settings/apps')).toPass()
  await expect(page.getByText('No connected apps yet.')).toBeVisible()
})

test('fw mcp stdio signs in through the browser once for two hosts', async ({ page, origin }) => {
  const home = mkdtempSync(join(tmpdir(), 'fw-home-'))
  const program = {
    command: 'node',
    args: ['layers/fairway/cli/fw.mjs', 'mcp', 'stdio', origin],
    env: { PATH: process.env.PATH ?? '', HOME: home },
    stderr: 'pipe' as const,
  }
  const start = async (mode: 'auto' | 'legacy') => {
    const client = new Client({ name: 'host', version: '1' }, { versionNegotiation: { mode } })
    const transport = new StdioClientTransport(program)
    const said: string[] = []
    transport.stderr?.on('data', chunk => said.push(String(chunk)))
    return { client, said, connected: client.connect(transport, { timeout: 60_000 }) }
  }
  // A host of the newer revision first asks from a separate process. The test cannot see its output, so this host comes last.
  const [one, two] = [await start('legacy'), await start('legacy')]
  const address = () => [...one.said, ...two.said].join('').match(/http:\S+\/mcp\/oauth\/authorize\S+/g) ?? []
  await expect.poll(() => address().length, { timeout: 30_000 }).toBe(1)
  await agree(page, address()[0] ?? '')
  await Promise.all([one.connected, two.connected])
  const created = await one.client.callTool({ name: 'create-note', arguments: { title: 'By stdio' } })
  expect(created.structuredContent).toMatchObject({ note: { title: 'By stdio' } })
  const listed = await two.client.callTool({ name: 'list-notes', arguments: {} })
  expect(JSON.stringify(listed.structuredContent)).toContain('By stdio')
  expect(address()).toHaveLength(1)
  const three = await start('auto')
  await three.connected
  expect(three.client.getNegotiatedProtocolVersion()).toBe('2026-07-28')
  expect((await three.client.listTools()).tools.length).toBeGreaterThan(3)
  const folder = join(home, '.config', 'fairway', 'mcp')
  const files = readdirSync(folder)
  expect(files.map(file => statSync(join(folder, file)).mode & 0o777)).toEqual([0o600])
  await one.client.close()
  await two.client.close()
  await three.client.close()
})

async function shownAddress(child: RunningFw): Promise<string> {
  return child.until(/(http:\S+\/mcp\/oauth\/authorize\S+)/)
}
