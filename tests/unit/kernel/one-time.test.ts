import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  assignOneTime,
  claimOneTime,
  endOneTimeStatement,
  issueOneTime,
  type OneTimePurpose,
  peekOneTime,
  peekOneTimeOfBrowser,
  peekOneTimesOfSubject,
  purgeOneTime,
  spendOneTime,
  tryOneTime,
  withdrawOneTimeStatement,
} from '#fairway/server/kernel/one-time/one-time'
import type { App } from '#fairway/server/kernel/app-context'
import { useTestApp } from '../../support/use-app'
import { withLatency } from '../../support/database-slow'
import { countRows, query } from '../../support/query'

const link: OneTimePurpose<{ path: string }> = {
  name: 'link',
  lifeInSeconds: 600,
  payload: z.object({ path: z.string() }),
}
const code: OneTimePurpose<{ path: string }> = { ...link, name: 'code', mostPerSubject: 2 }
const payload = { path: '/notes' }

const test = useTestApp()
let app: App
beforeEach(() => {
  app = test.app
})

const later = (seconds: number): App => ({ ...app, now: () => new Date(Date.now() + seconds * 1000) })

async function issued(purpose = link, more: { subject?: string; browser?: string } = {}): Promise<string> {
  const made = await issueOneTime(app, purpose, { payload, ...more })
  return made?.secret ?? ''
}

describe('a one-time secret', () => {
  it('is stored as a hash with a sealed payload', async () => {
    const secret = await issued()
    const text = JSON.stringify(await query(app, 'select * from fw_one_time'))
    expect(text).not.toContain(secret)
    expect(text).not.toContain('/notes')
  })

  it('can be read any number of times without being used', async () => {
    const secret = await issued(link, { subject: 'ada' })
    await peekOneTime(app, link, secret)
    expect(await peekOneTime(app, link, secret)).toMatchObject({ payload, subject: 'ada', usedAt: null })
  })

  it('can be spent once under concurrent requests', async () => {
    const secret = await issued()
    const slow = withLatency(app)
    const answers = await Promise.all(Array.from({ length: 8 }, () => spendOneTime(slow, link, secret)))
    expect(answers.filter(answer => answer !== null)).toMatchObject([{ payload }])
    expect((await peekOneTime(app, link, secret))?.usedAt).toBeInstanceOf(Date)
  })

  it('is invalid for another purpose', async () => {
    const secret = await issued()
    expect(await spendOneTime(app, code, secret)).toBeNull()
    expect(await peekOneTime(app, code, secret)).toBeNull()
    expect((await peekOneTime(app, [code, link], secret))?.purpose).toBe('link')
    expect(await spendOneTime(app, link, secret)).not.toBeNull()
  })

  it('expires, and returns its payload afterwards only to callers that accept expired secrets', async () => {
    const secret = await issued()
    expect(await spendOneTime(later(601), link, secret)).toBeNull()
    expect(await spendOneTime(later(601), link, secret, { evenExpired: true })).toMatchObject({
      payload,
      isExpired: true,
    })
  })

  it('is bound to the browser and the subject that it was issued for', async () => {
    const secret = await issued(link, { browser: 'cookie', subject: 'ada' })
    expect(await spendOneTime(app, link, secret, { browser: 'other' })).toBeNull()
    expect(await spendOneTime(app, link, secret, { browser: 'cookie', subject: 'bob' })).toBeNull()
    expect(await spendOneTime(app, link, secret, { browser: 'cookie', subject: null })).toBeNull()
    expect((await peekOneTimeOfBrowser(app, [code, link], 'cookie'))?.purpose).toBe('link')
    expect(await spendOneTime(app, link, secret, { browser: 'cookie', subject: 'ada' })).not.toBeNull()
  })

  it('ends when newer secrets of its subject exceed the limit of the purpose', async () => {
    const secrets = [await issued(code, { subject: 'ada' }), await issued(code, { subject: 'ada' })]
    const other = await issued(code, { subject: 'bob' })
    secrets.push(await issued(code, { subject: 'ada' }))
    const open = await Promise.all([...secrets, other].map(secret => spendOneTime(app, code, secret)))
    expect(open.map(answer => answer !== null)).toEqual([false, true, true, true])
  })

  it('ends together with all open secrets of its subject', async () => {
    const secret = await issued(link, { subject: 'ada' })
    const other = await issued(link, { subject: 'bob' })
    await app.db.client.execute(endOneTimeStatement(app, [link], 'ada'))
    expect(await spendOneTime(app, link, secret)).toBeNull()
    expect(await spendOneTime(app, link, other)).not.toBeNull()
  })

  it('stays open when the condition of the ending statement does not hold', async () => {
    const secret = await issued(link, { subject: 'ada' })
    await app.db.client.execute(endOneTimeStatement(app, [link], 'ada', { sql: '? = 1', args: [0] }))
    expect(await spendOneTime(app, link, secret)).not.toBeNull()
  })

  it('ends when newer secrets of its browser exceed the limit of the purpose', async () => {
    const few = { ...link, mostPerBrowser: 1 }
    const first = await issued(few, { browser: 'cookie' })
    const others = [await issued(few, { browser: 'other' }), await issued(few, { browser: 'cookie' })]
    expect(await spendOneTime(app, few, first)).toBeNull()
    for (const secret of others) expect(await spendOneTime(app, few, secret)).not.toBeNull()
  })

  it('accepts a subject once, while it is open', async () => {
    const secret = await issued()
    const slow = withLatency(app)
    const answers = await Promise.all(['ada', 'bob', 'eve'].map(name => assignOneTime(slow, link, secret, name)))
    expect(answers.filter(Boolean)).toHaveLength(1)
    const [ended, tried] = [await issued(), await issued()]
    await spendOneTime(app, link, ended)
    await tryOneTime(app, link, tried, 1)
    expect(await assignOneTime(app, link, ended, 'ada')).toBe(false)
    expect(await assignOneTime(app, link, tried, 'ada', { triesBelow: 1 })).toBe(false)
    expect(await spendOneTime(app, link, tried, { triesBelow: 1 })).toBeNull()
    expect(await spendOneTime(app, link, tried, { triesBelow: 2 })).not.toBeNull()
  })

  it('is found by its subject, used or unused, newest first', async () => {
    await issued(link, { subject: 'bob' })
    const secrets = [await issued(link, { subject: 'ada' }), await issued(link, { subject: 'ada' })]
    await spendOneTime(app, link, secrets[0] ?? '')
    const found = await peekOneTimesOfSubject(app, link, 'ada')
    expect(found.map(({ usedAt }) => usedAt !== null)).toEqual([false, true])
  })

  it('is deleted when it is withdrawn before its use', async () => {
    const [open, used] = [await issued(link, { subject: 'ada' }), await issued(link, { subject: 'ada' })]
    const other = await issued(link, { subject: 'bob' })
    await spendOneTime(app, link, used)
    await app.db.client.execute(withdrawOneTimeStatement([link], 'ada', { sql: '? = 1', args: [0] }))
    expect(await peekOneTime(app, link, open)).not.toBeNull()
    await app.db.client.execute(withdrawOneTimeStatement([link], 'ada'))
    expect(await peekOneTime(app, link, open)).toBeNull()
    expect(await peekOneTime(app, link, used)).not.toBeNull()
    expect(await peekOneTime(app, link, other)).not.toBeNull()
  })

  it('counts attempts before checking them and ends after the maximum', async () => {
    const secret = await issued()
    const slow = withLatency(app)
    const tries = await Promise.all(Array.from({ length: 6 }, () => tryOneTime(slow, link, secret, 3)))
    expect(tries.filter(answer => answer !== null)).toHaveLength(3)
  })

  it('is issued only when its condition holds in the same statement', async () => {
    const where = { sql: '? = 1', args: [0] }
    expect(await issueOneTime(app, link, { payload, where })).toBeNull()
    expect(await countRows(app, 'fw_one_time')).toBe(0)
  })

  it('is rejected when its payload was changed or moved', async () => {
    const [first, second] = [await issued(), await issued()]
    await query(app, 'update fw_one_time set payload = (select payload from fw_one_time order by rowid limit 1)')
    expect(await peekOneTime(app, link, first)).toMatchObject({ payload })
    await expect(peekOneTime(app, link, second)).rejects.toThrow('this was changed or belongs elsewhere')
  })
})

describe('claimOneTime', () => {
  it('claims the id of a signed message once under concurrent requests', async () => {
    const slow = withLatency(app)
    const expiresAt = new Date(Date.now() + 60_000)
    const claims = await Promise.all(Array.from({ length: 6 }, () => claimOneTime(slow, link, 'jti-1', expiresAt)))
    expect(claims.filter(Boolean)).toHaveLength(1)
    expect(await claimOneTime(app, code, 'jti-1', expiresAt)).toBe(true)
  })
})

it('purgeOneTime deletes only secrets that expired a day ago and claimed ids that have expired', async () => {
  await issued()
  await claimOneTime(app, link, 'jti-1', new Date(Date.now() + 60_000))
  await purgeOneTime(later(50))
  expect(await countRows(app, 'fw_one_time')).toBe(2)
  await purgeOneTime(later(600 + 86_400 - 60))
  expect(await countRows(app, 'fw_one_time')).toBe(1)
  await purgeOneTime(later(600 + 86_400 + 60))
  expect(await countRows(app, 'fw_one_time')).toBe(0)
})
