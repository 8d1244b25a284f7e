import { randomBytes } from 'node:crypto'
import { decodeProtectedHeader } from 'jose'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fw } from '../support/fw'
import { sessionOf } from '../support/http'
import { sendMessage } from '../support/mcp'
import { approve, instanceBeside, postForm, renewal } from '../support/oauth-grant'
import { query } from '../support/query'
import { databaseOf, type OwnServer, startServer } from '../support/server'
import { createTeamWorld, type TeamPerson } from '../support/team'

const [SECOND, THIRD] = [randomBytes(36).toString('base64'), randomBytes(36).toString('base64')]
let first: OwnServer
let server: OwnServer
let ada: TeamPerson

beforeEach(async () => {
  first = server = await startServer()
  ada = await createTeamWorld(server).person()
})
afterEach(() => server.stop())

/** Restarts the server at its address with another secret and the previous ones that it still accepts. */
async function restart(secret: string, ...previous: string[]): Promise<void> {
  await server.stop()
  const env = {
    PORT: new URL(first.origin).port,
    BETTER_AUTH_SECRET: secret,
    ...(previous.length > 0 ? { BETTER_AUTH_SECRET_PREVIOUS: previous.join(',') } : {}),
  }
  server = await startServer({ database: databaseOf(first), env })
}

const token = async (form: Record<string, string>) => {
  const answer = await postForm(`${first.origin}/mcp/oauth/token`, form)
  return { status: answer.status, ...(await answer.json()) }
}

async function connected() {
  const beside = await instanceBeside(first)
  try {
    return await token(await approve(beside, await sessionOf(ada.browser)))
  } finally {
    await beside.db.close()
  }
}

const opens = async (bearer: string) =>
  (
    await sendMessage(
      first.origin,
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      { authorization: `Bearer ${bearer}` },
    )
  ).status
const kids = async () =>
  (await (await fetch(`${first.origin}/mcp/oauth/jwks`)).json()).keys.map(({ kid }: { kid: string }) => kid)
const secrets = (args: string[], secret: string, ...previous: string[]) =>
  fw(['secrets', ...args], {
    DATABASE_URL: databaseOf(first),
    BETTER_AUTH_SECRET: secret,
    ...(previous.length > 0 ? { BETTER_AUTH_SECRET_PREVIOUS: previous.join(',') } : {}),
  })

describe('root secret rotation', () => {
  it('keeps sessions, host tokens, renewals and API tokens valid through two rotations', async () => {
    const granted = await connected()
    const made = await ada.browser.post('/_fw/tokens', {
      json: { name: 'Laptop', scopes: ['mcp:read'], expiresInDays: 30 },
    })
    const personal = (await made.json()).token
    const published = await kids()
    let { refresh_token: refresh } = granted
    for (const [secret, ...previous] of [
      [SECOND, first.secret],
      [THIRD, SECOND, first.secret],
    ] as [string, ...string[]][]) {
      await restart(secret, ...previous)
      expect(await sessionOf(ada.browser)).toMatchObject({ email: ada.email })
      expect([await opens(granted.access_token), await opens(personal)]).toEqual([200, 200])
      const renewed = await token(renewal(refresh))
      expect([renewed.status, await opens(renewed.access_token)]).toEqual([200, 200])
      refresh = renewed.refresh_token
      // The earlier secret opens the signing key, so it does not change for hosts and this server.
      expect(await kids()).toEqual(published)
    }
  })

  it('requires no previous secret after resealing, and recently active people stay signed in', async () => {
    const granted = await connected()
    const vault = '/_fw/vault/openai'
    expect((await ada.browser.request(vault, { method: 'PUT', json: { value: 'sk-1' } })).status).toBe(204)
    const away = await createTeamWorld(first).person({ email: 'away@example.test' })
    await restart(SECOND, first.secret)
    // The server renews a session once a day and then signs its cookie with the current secret.
    await query(first, 'update sessions set updated_at = updated_at - 90000000')
    expect(await sessionOf(ada.browser)).toMatchObject({ email: ada.email })
    const sealed = await secrets(['reseal'], SECOND, first.secret)
    expect([sealed.code, sealed.out]).toEqual([
      0,
      expect.stringMatching(/oauth_keys\.sealed_private_jwk: 1 rows, 1 sealed anew, 0/),
    ])
    const published = await kids()
    await restart(SECOND)
    expect(await sessionOf(ada.browser)).toMatchObject({ email: ada.email })
    expect(await sessionOf(away.browser)).toBeNull()
    expect(await (await ada.browser.post(`${vault}/test`, { json: {} })).json()).toEqual({ outcome: 'readable' })
    const renewed = await token(renewal(granted.refresh_token))
    expect([await opens(granted.access_token), renewed.status, await kids()]).toEqual([200, 200, published])
  })

  it('ends sessions signed with a previous secret that is not listed', async () => {
    await restart(SECOND)
    expect(await sessionOf(ada.browser)).toBeNull()
  })
})

describe('signing key rotation', () => {
  it('signs with the new key, accepts and publishes the old one, and requires no new approval', async () => {
    const granted = await connected()
    const [old] = await kids()
    const retired = await secrets(['retire-signing-keys'], first.secret)
    expect([retired.code, retired.out]).toEqual([0, expect.stringContaining('Signing keys retired: 1.')])
    // An instance reads the keys when it starts and once a minute.
    await restart(first.secret)
    const renewed = await token(renewal(granted.refresh_token))
    const signedBy = decodeProtectedHeader(renewed.access_token).kid
    expect(signedBy).not.toBe(old)
    expect(decodeProtectedHeader(granted.access_token).kid).toBe(old)
    expect((await kids()).toSorted()).toEqual([old, signedBy].toSorted())
    expect([await opens(granted.access_token), await opens(renewed.access_token)]).toEqual([200, 200])
    expect(await sessionOf(ada.browser)).toMatchObject({ email: ada.email })
  })
})
