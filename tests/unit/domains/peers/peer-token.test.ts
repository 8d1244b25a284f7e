import { jwtVerify, SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { signPeerToken, verifyPeerToken } from '#fairway/server/domains/peers'
import { purgeOneTime } from '#fairway/server/kernel/one-time/one-time'
import { openDatabase } from '#fairway/server/kernel/database/client'
import { createTestApp } from '../../../support/app'
import { useTestApp } from '../../../support/use-app'
import { withLatency } from '../../../support/database-slow'
import { countRows } from '../../../support/query'
import { A2A_SECRET, EARLIER_A2A_SECRET, OTHER_A2A_SECRET } from '../../../support/secrets'

const audience = 'http://localhost:3000'
const type = 'a2a+jwt'

const test = useTestApp({ A2A_SECRET, A2A_SECRET_PREVIOUS: EARLIER_A2A_SECRET })

const bytes = (text: string) => new TextEncoder().encode(text)
const now = () => Math.floor(test.app.now().getTime() / 1000)

interface Parts {
  secret?: string
  typ?: string
  alg?: string
  claims?: Record<string, unknown>
}

/** Signs a token as another implementation does: with the secret itself. */
function foreignToken({ secret = A2A_SECRET, typ = type, alg = 'HS256', claims = {} }: Parts = {}): Promise<string> {
  const all: Record<string, unknown> = {
    iss: 'https://peer.example',
    sub: 'ada@example.test',
    aud: audience,
    iat: now(),
    exp: now() + 60,
    jti: crypto.randomUUID(),
    ...claims,
  }
  const payload = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
  return new SignJWT(payload).setProtectedHeader({ alg, typ }).sign(bytes(secret))
}

const verify = (token: string, input: { issuer?: string } = {}) =>
  verifyPeerToken(test.app, token, { type, audience, ...input })

describe('a peer token of this application', () => {
  it('contains issuer, audience and subject, and expires after one minute', async () => {
    const token = await signPeerToken(test.app, {
      type,
      audience,
      subject: 'ada@example.test',
      claims: { app: 'mail' },
    })
    const claims = await verify(token, { issuer: test.app.config.baseUrl })
    expect(claims).toMatchObject({ iss: test.app.config.baseUrl, aud: audience, sub: 'ada@example.test', app: 'mail' })
    expect(claims.exp - claims.iat).toBe(60)
  })

  it('is signed with a derived key, not with the shared secret, for calls', async () => {
    const token = await signPeerToken(test.app, { type, audience, subject: 'a' })
    const [head, body, signature] = token.split('.')
    const raw = await foreignToken()
    expect(head).toBe(raw.split('.')[0])
    const key = await crypto.subtle.importKey('raw', bytes(A2A_SECRET), { name: 'HMAC', hash: 'SHA-256' }, false, [
      'sign',
    ])
    const byRaw = Buffer.from(await crypto.subtle.sign('HMAC', key, bytes(`${head}.${body}`))).toString('base64url')
    expect(byRaw).not.toBe(signature)
  })

  it('is signed with the shared secret for identity, so that other implementations can verify it', async () => {
    const token = await signPeerToken(test.app, {
      type: 'identity+jwt',
      audience,
      subject: 'a',
      claims: { email: 'a@b.test' },
    })
    const { payload, protectedHeader } = await jwtVerify(token, bytes(A2A_SECRET), {
      audience,
      currentDate: test.app.now(),
    })
    expect(protectedHeader).toEqual({ alg: 'HS256', typ: 'identity+jwt' })
    expect(payload).toMatchObject({ iss: test.app.config.baseUrl, email: 'a@b.test' })
  })

  it('is refused for another purpose', async () => {
    const token = await signPeerToken(test.app, { type: 'identity+jwt', audience, subject: 'a' })
    await expect(verify(token)).rejects.toThrow()
  })

  it('is accepted only once', async () => {
    const token = await signPeerToken(test.app, { type, audience, subject: 'a' })
    await verify(token)
    await expect(verify(token)).rejects.toThrow('used before')
  })

  it('is accepted only once when two instances receive it at the same time', async () => {
    const { db } = test.app
    const other = await openDatabase({ ...test.app.config.database, log: test.app.log })
    try {
      const instances = [db, other].map(each => withLatency({ ...test.app, db: each }, 20))
      for (let round = 0; round < 5; round++) {
        const token = await signPeerToken(test.app, { type, audience, subject: 'a' })
        const calls = instances.flatMap(app =>
          Array.from({ length: 5 }, () => verifyPeerToken(app, token, { type, audience })),
        )
        const settled = await Promise.allSettled(calls)
        expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      }
    } finally {
      await other.close()
    }
  })
})

describe('a peer token of another implementation', () => {
  it('is accepted when it is signed with the shared secret', async () => {
    expect(await verify(await foreignToken())).toMatchObject({ iss: 'https://peer.example' })
  })

  it('is accepted when it is signed with the previous secret', async () => {
    expect(await verify(await foreignToken({ secret: EARLIER_A2A_SECRET }))).toMatchObject({ sub: 'ada@example.test' })
  })

  it('is accepted with a lifetime of five minutes or a clock skew under half a minute', async () => {
    const at = now()
    const accepted = [
      { iat: at, exp: at + 300 },
      { iat: at + 25, exp: at + 85 },
      { iat: at - 80, exp: at - 20 },
    ]
    for (const claims of accepted) expect(await verify(await foreignToken({ claims }))).toMatchObject(claims)
  })

  it('is refused with a longer lifetime or a larger clock skew', async () => {
    const at = now()
    const refused = [
      { iat: at, exp: at + 301 },
      { iat: at + 40, exp: at + 100 },
      { iat: at - 100, exp: at - 40 },
    ]
    for (const claims of refused)
      await expect(verify(await foreignToken({ claims }))).rejects.toMatchObject({ name: 'PeerTokenError' })
  })

  it.each<[string, () => Parts]>([
    ['signed with another secret', () => ({ secret: OTHER_A2A_SECRET })],
    ['for another application', () => ({ claims: { aud: 'https://other.example' } })],
    ['for several applications', () => ({ claims: { aud: [audience, 'https://other.example'] } })],
    ['for an address below ours', () => ({ claims: { aud: `${audience}/` } })],
    ['for nobody', () => ({ claims: { aud: undefined } })],
    ['that has ended', () => ({ claims: { iat: now() - 120, exp: now() - 60 } })],
    ['without an end', () => ({ claims: { exp: undefined } })],
    ['from the future', () => ({ claims: { iat: now() + 120, exp: now() + 180 } })],
    ['without a beginning', () => ({ claims: { iat: undefined } })],
    ['that is good for an hour', () => ({ claims: { exp: now() + 3600 } })],
    ['that is old and still good', () => ({ claims: { iat: now() - 400, exp: now() + 10 } })],
    ['without an id', () => ({ claims: { jti: undefined } })],
    ['with an id that is too short', () => ({ claims: { jti: 'a' } })],
    ['with an id that is no text', () => ({ claims: { jti: 12_345_678 } })],
    ['about nobody', () => ({ claims: { sub: undefined } })],
    ['by nobody', () => ({ claims: { iss: undefined } })],
    ['of another type', () => ({ typ: 'identity+jwt' })],
    ['of the general type', () => ({ typ: 'JWT' })],
    ['signed by another algorithm', () => ({ alg: 'HS512' })],
    ['that is very long', () => ({ claims: { more: 'x'.repeat(5000) } })],
  ])('is refused: a token %s', async (_name, parts) => {
    await expect(verify(await foreignToken(parts()))).rejects.toMatchObject({ name: 'PeerTokenError' })
  })

  it.each(['', 'a', 'a.b.c', '..', 'null', '{}', 'é.è.ê'])('is refused: %j', async token => {
    await expect(verify(token)).rejects.toMatchObject({ name: 'PeerTokenError' })
  })

  it('is refused without a signature', async () => {
    const token = new UnsecuredJWT({ sub: 'a' })
      .setIssuer('https://peer.example')
      .setAudience(audience)
      .setJti(crypto.randomUUID())
      .setIssuedAt(now())
      .setExpirationTime(now() + 60)
      .encode()
    await expect(verify(token)).rejects.toMatchObject({ name: 'PeerTokenError' })
  })

  it('is refused when its issuer is not the expected one', async () => {
    await expect(verify(await foreignToken(), { issuer: 'https://hub.example' })).rejects.toThrow()
  })

  it('is still accepted after it was refused for another audience', async () => {
    const token = await foreignToken()
    await expect(verifyPeerToken(test.app, token, { type, audience: 'http://elsewhere' })).rejects.toThrow()
    expect(await verify(token)).toBeDefined()
  })
})

it('refuses to accept or sign peer tokens without a secret', async () => {
  const bare = await createTestApp()
  try {
    const token = await foreignToken()
    await expect(verifyPeerToken(bare.app, token, { type, audience })).rejects.toThrow('no shared secret')
    await expect(signPeerToken(bare.app, { type, audience, subject: 'a' })).rejects.toThrow('A2A_SECRET')
  } finally {
    await bare.close()
  }
})

it('purges used tokens only after they expire', async () => {
  await verify(await foreignToken())
  await purgeOneTime(test.app)
  expect(await countRows(test.app, 'fw_one_time')).toBe(1)
  await purgeOneTime({ ...test.app, now: () => new Date(Date.now() + 120_000) })
  expect(await countRows(test.app, 'fw_one_time')).toBe(0)
})
