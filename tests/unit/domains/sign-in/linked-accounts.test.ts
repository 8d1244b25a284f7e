import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { unlinkAccount } from '#fairway/server/domains/sign-in'
import { removePasskey } from '#fairway/server/domains/sign-in/passkeys/passkeys'
import { createTestApp, type TestApp } from '../../../support/app'
import { withLatency } from '../../../support/database-slow'
import { refusalOf } from '../../../support/error-code'
import { aMember } from '../../../support/members'
import { countRows, query } from '../../../support/query'

let test: TestApp

beforeEach(async () => {
  const providers = ['one', 'two'].map(id => ({
    id,
    name: id,
    issuer: `https://${id}.test`,
    clientId: 'c',
    clientSecret: 's',
  }))
  test = await createTestApp({ FW_OIDC_PROVIDERS: JSON.stringify(providers), AUTH_MAGIC_LINK: 'false' })
})
afterEach(() => test.close())

const now = 1_700_000_000_000

async function linked(userId: string, provider: string): Promise<string> {
  const id = `${userId}-${provider}`
  await query(
    test.app,
    'insert into accounts (id, user_id, account_id, provider_id, created_at, updated_at) values (?, ?, ?, ?, ?, ?)',
    [id, userId, id, provider, now, now],
  )
  return id
}

async function aPasskey(userId: string): Promise<string> {
  const id = `${userId}-passkey`
  await query(
    test.app,
    `insert into passkeys (id, user_id, name, credential_id, public_key, counter, transports, backed_up, created_at)
      values (?, ?, 'Laptop', ?, 'key', 0, '', 0, ?)`,
    [id, userId, id, now],
  )
  return id
}

const waysOf = async (userId: string) =>
  (await countRows(test.app, 'accounts where user_id = ?', [userId])) +
  (await countRows(test.app, 'passkeys where user_id = ?', [userId]))

describe('the last sign-in method of an account', () => {
  it('is kept when two linked accounts are unlinked at the same time', async () => {
    for (let round = 0; round < 12; round++) {
      const { userId } = await aMember(test.app)
      const ids = [await linked(userId, 'one'), await linked(userId, 'two')]
      const outcomes = await Promise.all(
        ids.map(id =>
          unlinkAccount(withLatency(test.app), { userId, sessionId: null }, id).then(
            () => 'done',
            (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error),
          ),
        ),
      )
      expect(outcomes.toSorted()).toEqual(['done', 'last-way-in'])
      expect(await waysOf(userId)).toBe(1)
    }
  })

  it('is kept when a passkey and a linked account are removed at the same time', async () => {
    for (let round = 0; round < 12; round++) {
      const { userId } = await aMember(test.app)
      const [account, passkey] = [await linked(userId, 'one'), await aPasskey(userId)]
      await Promise.allSettled([
        unlinkAccount(withLatency(test.app), { userId, sessionId: null }, account),
        removePasskey(withLatency(test.app), userId, passkey),
      ])
      expect(await waysOf(userId)).toBe(1)
    }
  })

  it('is kept when the only other one is a provider that is no longer offered', async () => {
    const { userId } = await aMember(test.app)
    const id = await linked(userId, 'one')
    await linked(userId, 'gone')
    expect(await refusalOf(unlinkAccount(test.app, { userId, sessionId: null }, id))).toBe('last-way-in')
  })

  it('can be a mailed link when it is offered and the address is confirmed', async () => {
    const providers = [{ id: 'one', name: 'one', issuer: 'https://one.test', clientId: 'c', clientSecret: 's' }]
    const mailing = await createTestApp({
      FW_OIDC_PROVIDERS: JSON.stringify(providers),
      SMTP_URL: 'smtp://127.0.0.1:1',
      EMAIL_FROM: 'app@example.test',
    })
    const { userId } = await aMember(mailing.app)
    await query(
      mailing.app,
      "insert into accounts (id, user_id, account_id, provider_id, created_at, updated_at) values ('a', ?, 'a', 'one', 1, 1)",
      [userId],
    )
    await query(mailing.app, 'update users set email_verified = 0 where id = ?', [userId])
    expect(mailing.app.config.signIn.magicLink).toBe(true)
    expect(await refusalOf(unlinkAccount(mailing.app, { userId, sessionId: null }, 'a'))).toBe('last-way-in')
    await query(mailing.app, 'update users set email_verified = 1 where id = ?', [userId])
    await unlinkAccount(mailing.app, { userId, sessionId: null }, 'a')
    expect(await countRows(mailing.app, 'accounts where user_id = ?', [userId])).toBe(0)
    await mailing.close()
  })
})
