import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineAction } from '#fw'
import { createTestApp } from '../../../support/app'
import { statusAndCode } from '../../../support/error-code'
import { sendMessage } from '../../../support/mcp'
import { query } from '../../../support/query'
import { STATIC_TOKEN } from '../../../support/secrets'
import { startMcpApplication } from '../../../fixtures/mcp/application'
import { warnAboutStaticTokens } from '#fairway/server/domains/mcp'

const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
const another = 'another-token-of-the-same-application-42'

describe('static bearer tokens', () => {
  it('authenticate with ACCESS_TOKEN and with each of ACCESS_TOKENS', async () => {
    const application = await startMcpApplication({ env: { ACCESS_TOKENS: `${another}, ${another}-two` } })
    for (const token of [STATIC_TOKEN, another, `${another}-two`]) {
      const answer = await sendMessage(application.origin, ping, { authorization: `Bearer ${token}` })
      expect(answer.status).toBe(200)
    }
    await application.close()
  })

  it('return 401 and the reason when no owner is configured', async () => {
    const application = await startMcpApplication({ env: { FW_OWNER_EMAIL: '' } })
    const answer = await sendMessage(application.origin, ping)
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('invalid_token'),
    ])
    expect((await answer.json()).detail).toContain('FW_OWNER_EMAIL')
    await application.close()
  })

  it('log a warning at start while no account has the owner’s email', async () => {
    const { app, lines, close } = await createTestApp({
      ACCESS_TOKEN: STATIC_TOKEN,
      FW_OWNER_EMAIL: 'later@example.test',
    })
    await warnAboutStaticTokens(app)
    expect(lines().map(line => line.message ?? line.msg)).toContainEqual(expect.stringContaining('open nothing yet'))
    await close()
  })

  it('return 401 while the owner’s email is unconfirmed, under every verification policy', async () => {
    const policies: Record<string, string>[] = [
      { AUTH_REQUIRE_EMAIL_VERIFICATION: '1' },
      { AUTH_SKIP_EMAIL_VERIFICATION: '0' },
      { AUTH_REQUIRE_EMAIL_VERIFICATION: '0' },
      { AUTH_SKIP_EMAIL_VERIFICATION: '1' },
    ]
    for (const env of policies) {
      const application = await startMcpApplication({ env })
      await query(application.app, 'update users set email_verified = 0')
      const answer = await sendMessage(application.origin, ping)
      expect([env, answer.status]).toEqual([env, 401])
      expect((await answer.json()).detail).toContain('confirmed')
      await query(application.app, 'update users set email_verified = 1')
      expect((await sendMessage(application.origin, ping)).status).toBe(200)
      await application.close()
    }
  })

  it('return 403 for an organization that requires a provider', async () => {
    const application = await startMcpApplication()
    await query(application.app, "update organizations set required_auth_provider = 'google'")
    const answer = await sendMessage(application.origin, ping)
    expect([answer.status, await answer.json()]).toMatchObject([403, { code: 'provider-required', provider: 'google' }])
    await query(application.app, 'update organizations set required_auth_provider = null')
    expect((await sendMessage(application.origin, ping)).status).toBe(200)
    await application.close()
  })

  it('can only read in an organization that limits apps and tokens to reading', async () => {
    const actions = {
      'list-notes': defineAction({ description: 'Lists.', readOnly: true, input: z.object({}), run: () => [] }),
      'write-note': defineAction({ description: 'Writes.', input: z.object({}), run: () => 'written' }),
    }
    const application = await startMcpApplication({
      declared: {
        actions: Object.entries(actions).map(([name, action]) => ({ name, group: 'test', action })),
        resources: [],
        prompts: [],
        apps: [],
      },
    })
    const call = (name: string) =>
      sendMessage(application.origin, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } })
    expect((await call('write-note')).status).toBe(200)
    await query(application.app, 'update organizations set agents_read_only = 1')
    expect(await statusAndCode(await call('write-note'))).toEqual([403, 'agents-read-only'])
    expect((await call('list-notes')).status).toBe(200)
    await application.close()
  })

  it.each([
    ['ACCESS_TOKEN', 'short'],
    ['ACCESS_TOKEN', `${'x'.repeat(40)} y`],
    ['ACCESS_TOKENS', `${another},short`],
    ['FW_MCP_ALLOWED_ORIGINS', 'https://a.example/path'],
    ['FW_MCP_ALLOWED_ORIGINS', '*'],
    ['FW_OWNER_EMAIL', 'nobody'],
  ])('prevent the start with %s=%s and never repeat the value', async (name, value) => {
    const started = createTestApp({ [name]: value })
    await expect(started).rejects.toThrow(name)
    await expect(started).rejects.not.toThrow(value)
  })

  it('are stored only as hashes', async () => {
    const { app, close } = await createTestApp({ ACCESS_TOKEN: STATIC_TOKEN })
    expect(JSON.stringify(app.config)).not.toContain(STATIC_TOKEN)
    await close()
  })
})
