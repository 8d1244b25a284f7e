import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  answerTokenRequest,
  authenticateAccessToken,
  publicKeys,
  purgeOAuth,
  retireSigningKeys,
} from '#fairway/server/domains/oauth-server'
import { type App, createMemo } from '#fairway/server/kernel/app-context'
import { backgroundDone } from '#fairway/server/kernel/background'
import { newId } from '#fairway/server/kernel/crypto/random'
import { createKeyRing } from '#fairway/server/kernel/crypto/seal'
import type { Session } from '#fairway/shared/schemas/session'
import { useTestApp } from '../../../support/use-app'
import { aMember } from '../../../support/members'
import { approve } from '../../../support/oauth-grant'
import { query } from '../../../support/query'
import { OTHER_SECRET, SECRET } from '../../../support/secrets'

const DAY = 24 * 60 * 60
const test = useTestApp()
let owner: Session

beforeEach(async () => {
  owner = await aMember(test.app)
})

/** Another process on the same database, this many seconds later. */
const process = (seconds = 0, config = test.app.config): App => ({
  ...test.app,
  config,
  memo: createMemo(),
  now: () => new Date(Date.now() + seconds * 1000),
})
// Each token has a new client, because a second consent for the same client would end the first connection.
const accessToken = async (app: App) =>
  (await answerTokenRequest(app, { form: await approve(app, owner, { clientId: newId() }) })).access_token
const kids = async (app: App) => (await publicKeys(app)).keys.map(key => key.kid)
const rows = async () => await query(test.app, 'select * from oauth_keys order by generation')

describe('signing keys', () => {
  it('are published as a JWK set that verifies tokens, with public keys only', async () => {
    const token = await accessToken(test.app)
    const set = await publicKeys(process())
    expect(set.keys).toEqual([
      {
        kty: 'EC',
        crv: 'P-256',
        x: expect.any(String),
        y: expect.any(String),
        kid: decodeProtectedHeader(token).kid,
        use: 'sig',
        alg: 'ES256',
      },
    ])
    const { payload } = await jwtVerify(token, createLocalJWKSet(set), { issuer: test.app.config.baseUrl })
    expect(payload.sub).toBe(owner.userId)
  })

  it('are stored with the private key encrypted for its row', async () => {
    await publicKeys(test.app)
    const [row] = await rows()
    expect(String(row?.sealed_private_jwk)).toMatch(/^[0-9a-f]{8}\.[\w-]+$/)
    expect(JSON.stringify(row)).not.toContain('"d"')
  })

  it('are published a day before they sign, and until their last token has expired', async () => {
    const [first] = await kids(test.app)
    const dayBefore = process(29 * DAY + 3600)
    const token = await accessToken(dayBefore)
    expect(decodeProtectedHeader(token).kid).toBe(first)
    await backgroundDone(dayBefore)
    const published = await kids(dayBefore)
    expect(published).toHaveLength(2)
    const after = process(30 * DAY + 60)
    const next = await accessToken(after)
    expect(decodeProtectedHeader(next).kid).toBe(published[1])
    // The first key signed this token shortly before it was replaced.
    const last = await accessToken(process(30 * DAY - 600))
    expect(decodeProtectedHeader(last).kid).toBe(first)
    expect(await authenticateAccessToken(after, last)).not.toBeNull()
    expect(await kids(process(30 * DAY + 2 * 3600))).toEqual([published[1]])
    await purgeOAuth(process(30 * DAY + 2 * 3600))
    expect((await rows()).map(row => row.id)).toEqual([published[1]])
  })

  it('of one process are known to other processes immediately', async () => {
    const [one, two] = [process(), process()]
    expect(await authenticateAccessToken(two, await accessToken(one))).not.toBeNull()
    await query(test.app, 'update oauth_keys set signs_until = signs_from + 1')
    const third = process(2)
    const token = await accessToken(third)
    expect(await rows()).toHaveLength(2)
    expect(await authenticateAccessToken(two, token)).not.toBeNull()
  })

  it('verify tokens for an hour after they are replaced, also when the token lifetime was lowered', async () => {
    await accessToken(test.app)
    const justBefore = 30 * DAY - 6 * 60
    const token = await accessToken(process(justBefore))
    const oauth = { ...test.app.config.oauth, accessTokenLifeInSeconds: 60 }
    const lowered = (seconds: number) => process(justBefore + seconds, { ...test.app.config, oauth })
    const next = await accessToken(lowered(30 * 60))
    expect(decodeProtectedHeader(next).kid).not.toBe(decodeProtectedHeader(token).kid)
    await purgeOAuth(lowered(3590))
    expect(await authenticateAccessToken(lowered(3590), token)).not.toBeNull()
    expect(await authenticateAccessToken(lowered(3601), token)).toBeNull()
    expect(await authenticateAccessToken(lowered(30 * 60 + 61), next)).toBeNull()
  })

  it('are retired in a running process when it next reads them', async () => {
    const token = await accessToken(test.app)
    expect(await retireSigningKeys(process())).toBe(1)
    const [known] = await kids(test.app)
    const later: App = { ...test.app, now: () => new Date(test.app.now().getTime() + 61_000) }
    const next = await accessToken(later)
    expect(decodeProtectedHeader(next).kid).not.toBe(known)
    expect(await kids(later)).toHaveLength(2)
    expect(await authenticateAccessToken(later, token)).not.toBeNull()
    expect(await retireSigningKeys(later)).toBe(1)
  })

  it('survive a root secret rotation, and are replaced when the old secret is missing', async () => {
    const token = await accessToken(test.app)
    const rotated = process(0, { ...test.app.config, keys: createKeyRing([OTHER_SECRET, SECRET]) })
    expect(decodeProtectedHeader(await accessToken(rotated)).kid).toBe(decodeProtectedHeader(token).kid)
    const forgotten = process(0, { ...test.app.config, keys: createKeyRing([OTHER_SECRET]) })
    const next = await accessToken(forgotten)
    expect(decodeProtectedHeader(next).kid).not.toBe(decodeProtectedHeader(token).kid)
    expect(await authenticateAccessToken(forgotten, token)).toBeNull()
    expect(await authenticateAccessToken(forgotten, next)).not.toBeNull()
    expect(await rows()).toHaveLength(2)
  })
})
