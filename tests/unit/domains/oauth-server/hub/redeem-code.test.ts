import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  authorizeIdentity,
  countRequest,
  readTokenRequest,
  redeemIdentityCode,
  toTokenRefusal,
} from '#fairway/server/domains/oauth-server'
import { requireHub } from '#fairway/server/domains/oauth-server/hub/registration'
import { PeerTokenError, verifyPeerToken } from '#fairway/server/domains/peers'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { createCodeVerifier } from '#fairway/server/kernel/crypto/random'
import { purgeOneTime } from '#fairway/server/kernel/one-time/one-time'
import { createTestApp, type TestApp } from '../../../../support/app'
import { withLatency } from '../../../../support/database-slow'
import { newRequest, registered } from '../../../../support/hub'
import { addPerson, sessionFor } from '../../../../support/members'
import { countRows, query } from '../../../../support/query'
import { A2A_SECRET } from '../../../../support/secrets'

const CALLBACK = 'https://mail.example.com/_fw/identity/callback'
const env = {
  FW_BASE_URL: 'https://hub.example.com',
  A2A_SECRET,
  FW_RATE_LIMITS: 'off',
  IDENTITY_SSO_APP_REGISTRY_JSON: JSON.stringify([
    registered('mail', 'https://mail.example.com'),
    registered('docs', 'https://docs.example.com'),
  ]),
}
const from = { clientAddress: '192.0.2.1', requestId: 'r' }

let folder: string
let test: TestApp
let app: App
let person: Awaited<ReturnType<typeof addPerson>>
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'fw-hub-'))
  test = await createTestApp({ ...env, FW_DATA_DIR: folder })
  app = test.app
  person = await addPerson(app)
})
afterEach(() => test.close())

const later = (seconds: number): App => ({ ...app, now: () => new Date(Date.now() + seconds * 1000) })

/** Returns the fields of a token request with a new code. */
async function codeFor(at: App = app) {
  const { verifier, query } = newRequest('mail', CALLBACK)
  const findSession = async () => sessionFor(person, 'google')
  const answer = await authorizeIdentity(at, requireHub(at), {
    query,
    ...from,
    findSession,
    sessionId: async () => null,
  })
  if (!('location' in answer)) throw new Error('a page')
  const code = new URL(answer.location).searchParams.get('code') ?? ''
  return {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    client_id: 'mail',
    redirect_uri: CALLBACK,
  }
}

async function redeem(fields: Record<string, unknown>, at: App = app) {
  try {
    return await redeemIdentityCode(at, requireHub(at), readTokenRequest(fields), from)
  } catch (thrown) {
    return toTokenRefusal(thrown).body
  }
}

const events = async () =>
  await query(app, 'select kind, subject, user_id as userId, reason from security_events order by at')
const assertionOf = (answer: object): string => ('assertion' in answer ? String(answer.assertion) : '')

describe('hub code', () => {
  it('returns an assertion for this callback only, which is valid for a minute and once', async () => {
    const answer = await redeem(await codeFor())
    expect(answer).toEqual({ assertion: expect.any(String), token_type: 'identity-assertion', expires_in: 60 })
    const assertion = assertionOf(answer)
    expect(decodeProtectedHeader(assertion)).toEqual({ alg: 'HS256', typ: 'identity+jwt' })
    const claims = decodeJwt(assertion)
    expect(claims).toEqual({
      iss: 'https://hub.example.com',
      sub: person.id,
      aud: CALLBACK,
      iat: expect.any(Number),
      exp: (claims.iat ?? 0) + 60,
      jti: expect.stringMatching(/^[0-9a-f-]{36}$/),
      email: person.email,
      email_verified: true,
      auth_provider: 'google',
      client_id: 'mail',
    })
    const input = { type: 'identity+jwt', audience: CALLBACK, issuer: env.FW_BASE_URL } as const
    const other = 'https://docs.example.com/_fw/identity/callback'
    await expect(verifyPeerToken(app, assertion, { ...input, audience: other })).rejects.toThrow(PeerTokenError)
    await expect(verifyPeerToken(app, assertion, { ...input, issuer: 'https://evil.test' })).rejects.toThrow()
    await expect(verifyPeerToken(app, assertion, { ...input, type: 'a2a+jwt' })).rejects.toThrow(PeerTokenError)
    await expect(verifyPeerToken(later(95), assertion, input)).rejects.toThrow(PeerTokenError)
    expect(await verifyPeerToken(app, assertion, input)).toMatchObject({ sub: person.id })
    await expect(verifyPeerToken(app, assertion, input)).rejects.toThrow('it was used before')
    expect(JSON.stringify(test.lines())).not.toContain(assertion)
  })

  it.each(['grant_type', 'client_id', 'redirect_uri'])(
    'may be redeemed without %s or with an empty one',
    async name => {
      for (const value of [undefined, '']) {
        const answer = await redeem({ ...(await codeFor()), [name]: value })
        expect(decodeJwt(assertionOf(answer))).toMatchObject({ aud: CALLBACK, client_id: 'mail' })
      }
    },
  )

  it('is rejected on second use, and records a security event', async () => {
    const fields = await codeFor()
    expect(assertionOf(await redeem(fields))).not.toBe('')
    expect(await redeem(fields)).toMatchObject({ error: 'invalid_grant' })
    expect(await events()).toEqual([
      {
        kind: 'identity-code-replayed',
        subject: 'mail',
        userId: person.id,
        reason: expect.stringMatching(/used again/),
      },
    ])
  })

  it.each([
    ['another verifier', { code_verifier: createCodeVerifier() }, /another verifier/],
    ['the client of another application', { client_id: 'docs' }, /another client/],
    ['a client that nobody knows', { client_id: 'nobody' }, /another client/],
    ['another redirect address', { redirect_uri: `${CALLBACK}/` }, /another redirect/],
    ['another redirect address alone', { redirect_uri: `${CALLBACK}/`, client_id: undefined }, /another redirect/],
    [
      'another verifier alone',
      { code_verifier: createCodeVerifier(), client_id: undefined, redirect_uri: undefined },
      /another verifier/,
    ],
  ])('is used up by %s', async (_, change, reason) => {
    const fields = await codeFor()
    expect(await redeem({ ...fields, ...change })).toMatchObject({ error: 'invalid_grant' })
    expect(await redeem(fields)).toMatchObject({ error: 'invalid_grant' })
    expect(await events()).toEqual([
      { kind: 'identity-code-refused', subject: 'mail', userId: person.id, reason: expect.stringMatching(reason) },
      expect.objectContaining({ kind: 'identity-code-replayed' }),
    ])
  })

  it('expires after sixty seconds', async () => {
    const [inTime, late] = [await codeFor(), await codeFor()]
    expect(assertionOf(await redeem(inTime, later(59)))).not.toBe('')
    expect(await redeem(late, later(61))).toMatchObject({ error: 'invalid_grant' })
    expect(await redeem(late)).toMatchObject({ error: 'invalid_grant' })
  })

  it('returns the same error when it is wrong, used or expired', async () => {
    const fields = await codeFor()
    const unknown = await redeem({ ...fields, code: 'x'.repeat(43) })
    const expired = await redeem(fields, later(61))
    const used = await redeem(fields)
    expect([expired, used]).toEqual([unknown, unknown])
  })

  it('returns the person’s current email', async () => {
    const fields = await codeFor()
    await query(app, `update users set email = 'new@example.test' where id = ?`, [person.id])
    expect(decodeJwt(assertionOf(await redeem(fields)))).toMatchObject({ sub: person.id, email: 'new@example.test' })
  })

  it.each([
    ['the account is gone', 'delete from users where id = ?'],
    ['its address is not confirmed any more', 'update users set email_verified = 0 where id = ?'],
  ])('is rejected when %s', async (_, sql) => {
    const fields = await codeFor()
    await query(app, sql, [person.id])
    expect(await redeem(fields)).toMatchObject({ error: 'invalid_grant' })
    expect(await redeem(fields)).toMatchObject({ error: 'invalid_grant' })
  })

  it('is rejected when the app was removed from the registry', async () => {
    const fields = await codeFor()
    const [, docs] = JSON.parse(env.IDENTITY_SSO_APP_REGISTRY_JSON)
    const registry = JSON.stringify([docs])
    const without = await createTestApp({ ...env, FW_DATA_DIR: folder, IDENTITY_SSO_APP_REGISTRY_JSON: registry })
    expect(await redeem(fields, without.app)).toMatchObject({ error: 'unauthorized_client' })
    expect(await redeem(fields)).toMatchObject({ error: 'invalid_grant' })
    await without.close()
  })
})

describe('concurrent requests with one hub code', () => {
  it('return one assertion over a slow database', async () => {
    for (let round = 0; round < 5; round++) {
      const fields = await codeFor()
      const answers = await Promise.all(Array.from({ length: 20 }, () => redeem(fields, withLatency(app))))
      expect(answers.filter(assertionOf)).toHaveLength(1)
      expect(answers.filter(answer => 'error' in answer && answer.error === 'invalid_grant')).toHaveLength(19)
    }
  })

  it('return at most one assertion from two instances, also with a wrong verifier among them', async () => {
    const beside = await createTestApp({ ...env, FW_DATA_DIR: folder })
    for (let round = 0; round < 5; round++) {
      const fields = await codeFor()
      const wrong = { ...fields, code_verifier: createCodeVerifier() }
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          redeem(index % 5 === 4 ? wrong : fields, withLatency(index % 2 ? app : beside.app)),
        ),
      )
      expect(answers.filter(assertionOf).length).toBeLessThanOrEqual(1)
      expect(await redeem(fields, beside.app)).toMatchObject({ error: 'invalid_grant' })
    }
    await beside.close()
  })
})

describe('hub token request', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['another grant type', { grant_type: 'refresh_token' }, 'unsupported_grant_type'],
    ['a grant type that is no text', { grant_type: ['authorization_code'] }, 'unsupported_grant_type'],
    ['no code', { code: undefined }, 'invalid_request'],
    ['a code that is no text', { code: { $ne: '' } }, 'invalid_request'],
    ['a code of 2049 characters', { code: 'a'.repeat(2049) }, 'invalid_request'],
    ['no verifier', { code_verifier: undefined }, 'invalid_request'],
    ['a verifier of 42 characters', { code_verifier: 'a'.repeat(42) }, 'invalid_request'],
    ['a verifier of 129 characters', { code_verifier: 'a'.repeat(129) }, 'invalid_request'],
    ['a verifier with a space', { code_verifier: `${'a'.repeat(43)} ` }, 'invalid_request'],
    ['a client that is no text', { client_id: ['mail'] }, 'invalid_request'],
    ['a redirect address that is no text', { redirect_uri: null }, 'invalid_request'],
  ])('is rejected without using up the code: %s', async (_, change, error) => {
    const fields = await codeFor()
    const answer = await redeem({ ...fields, ...change })
    expect(answer).toEqual({ error, error_description: expect.any(String) })
    expect(assertionOf(await redeem(fields))).not.toBe('')
  })

  it('returns 429 with an OAuth error when it is rate limited', async () => {
    const limited = await createTestApp({ ...env, FW_RATE_LIMITS: 'on' })
    for (let count = 0; count < 600; count++) await countRequest(limited.app, 'identityToken', '192.0.2.7')
    const refusal = await countRequest(limited.app, 'identityToken', '192.0.2.7').catch((error: unknown) => error)
    expect(toTokenRefusal(refusal)).toMatchObject({
      status: 429,
      headers: { 'retry-after': expect.any(String) },
      body: { error: 'temporarily_unavailable' },
    })
    await limited.close()
  }, 30_000)

  it('does not convert internal errors to an OAuth error', () => {
    const inside = new AppError('internal', { cause: 'what happened' })
    expect(() => toTokenRefusal(inside)).toThrow(inside)
    expect(() => toTokenRefusal(new TypeError('x is undefined'))).toThrow(TypeError)
  })
})

describe('purgeOneTime', () => {
  it('keeps codes for a day after they expire, so that a second use is detected', async () => {
    await codeFor()
    await purgeOneTime(later(60 + 23 * 3600))
    expect(await countRows(app, 'fw_one_time')).toBe(1)
    await purgeOneTime(later(60 + 25 * 3600))
    expect(await countRows(app, 'fw_one_time')).toBe(0)
  })
})
