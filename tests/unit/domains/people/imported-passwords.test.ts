import { beforeEach, describe, expect, it } from 'vitest'
import { confirmPassword, findUserByPassword } from '#fairway/server/domains/people'
import { findStandIn } from '#fairway/server/domains/people/passwords'
import { markImported } from '#fairway/server/kernel/crypto/foreign-hash'
import { newId } from '#fairway/server/kernel/crypto/random'
import { withInterruption } from '../../../support/database-slow'
import { refusalOf } from '../../../support/error-code'
import { foreignHashes, PASSWORD } from '../../../support/foreign-hashes'
import { addPerson } from '../../../support/members'
import { query } from '../../../support/query'
import { useTestApp } from '../../../support/use-app'

const IMPORTED = markImported(foreignHashes['bcrypt $2b$'] ?? '')
const test = useTestApp()
const email = 'ada@example.test'
let userId: string

async function addAccount(address: string, password: string): Promise<string> {
  const { id } = await addPerson(test.app, { email: address })
  await query(
    test.app,
    `insert into accounts (id, user_id, account_id, provider_id, password, created_at, updated_at) values (?, ?, ?, 'credential', ?, 7, 7)`,
    [newId(), id, id, password],
  )
  return id
}

beforeEach(async () => {
  userId = await addAccount(email, IMPORTED)
})

const storedHash = async () => {
  const [row] = await query(test.app, 'select password, updated_at from accounts where user_id = ?', [userId])
  return { hash: String(row?.password), updatedAt: row?.updated_at }
}
const OWN = /^\$argon2id\$v=19\$m=8,t=1,p=1\$/

describe('an imported password', () => {
  it.each([
    ['a sign-in', () => findUserByPassword(test.app, { email, password: PASSWORD })],
    ['a confirmation', () => confirmPassword(test.app, userId, PASSWORD)],
  ])('is replaced by %s, and only its hash changes', async (_what, use) => {
    await use()
    const first = await storedHash()
    expect(first).toEqual({ hash: expect.stringMatching(OWN), updatedAt: 7 })
    await use()
    expect(await storedHash()).toEqual(first)
    expect(await query(test.app, 'select security_version as v from users where id = ?', [userId])).toMatchObject([
      { v: 0 },
    ])
  })

  it('stays after a wrong one', async () => {
    const wrong = { email, password: `${PASSWORD}!` }
    expect(await refusalOf(findUserByPassword(test.app, wrong))).toBe('invalid-credentials')
    expect(await refusalOf(confirmPassword(test.app, userId, wrong.password))).toBe('invalid-credentials')
    expect(await storedHash()).toEqual({ hash: IMPORTED, updatedAt: 7 })
  })

  it('is replaced once by sign-ins at the same time', async () => {
    const people = await Promise.all(
      Array.from({ length: 5 }, () => findUserByPassword(test.app, { email, password: PASSWORD })),
    )
    expect(people.map(({ id }) => id)).toEqual(Array.from({ length: 5 }, () => userId))
    expect((await storedHash()).hash).toMatch(OWN)
    await confirmPassword(test.app, userId, PASSWORD)
  })

  it('never overwrites a password that was set during the check', async () => {
    const { app, calls } = withInterruption(test.app, 1, () =>
      query(test.app, `update accounts set password = 'new' where user_id = ?`, [userId]),
    )
    await confirmPassword(app, userId, PASSWORD)
    expect(calls()).toBe(2)
    expect((await storedHash()).hash).toBe('new')
  })
})

describe('the hash that stands in for an unknown address', () => {
  const addresses = Array.from({ length: 400 }, (_, index) => `unknown${index}@example.test`)
  const standIns = () => Promise.all(addresses.map(address => findStandIn(test.app, address)))
  const add = async (from: number, to: number, hash: string) => {
    for (let index = from; index < to; index += 1) await addAccount(`person${index}@example.test`, hash)
  }

  it('is imported as often as the hashes of accounts, and keeps its kind when accounts are added', async () => {
    // With the account of every test, 64 accounts, of which 32 are imported.
    await add(1, 32, IMPORTED)
    await add(32, 64, '$argon2id$own')
    const before = await standIns()
    const share = before.filter(hash => hash === IMPORTED).length / addresses.length
    expect(share).toBeGreaterThan(0.35)
    expect(share).toBeLessThan(0.65)
    await add(64, 100, '$argon2id$own')
    expect(await standIns()).toEqual(before)
  })

  it('is none where no account has a password', async () => {
    await query(test.app, 'update accounts set password = null')
    expect(await findStandIn(test.app, 'unknown@example.test')).toBeUndefined()
  })

  it('never signs anybody in, and is not replaced', async () => {
    const unknown = { email: 'unknown@example.test', password: PASSWORD }
    expect(await refusalOf(findUserByPassword(test.app, unknown))).toBe('invalid-credentials')
    expect((await storedHash()).hash).toBe(IMPORTED)
  })
})
