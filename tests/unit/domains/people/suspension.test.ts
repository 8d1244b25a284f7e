import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { answerTokenRequest, authenticateAccessToken } from '#fairway/server/domains/oauth-server'
import { findCalledPerson } from '#fairway/server/domains/agents/peer-calls/authenticate-peer'
import { listPeople, reactivatePerson, suspendPerson } from '#fairway/server/domains/people'
import { actAs } from '#fairway/server/domains/sessions'
import type { App } from '#fairway/server/kernel/app-context'
import type { Session } from '#fairway/shared/schemas/session'
import { createTestApp, type TestApp } from '../../../support/app'
import { refusalOf } from '../../../support/error-code'
import { addPerson, aMember, signInAs } from '../../../support/members'
import { approve, renewal } from '../../../support/oauth-grant'
import { countRows, query } from '../../../support/query'

const OPERATOR = 'operator@example.test'
const DAY_IN_MS = 24 * 60 * 60 * 1000
let test: TestApp
let app: App
let operator: Session
let person: Session
let now: number

beforeEach(async () => {
  now = Date.now()
  test = await createTestApp({ FW_OPERATORS: OPERATOR })
  app = { ...test.app, now: () => new Date(now) }
  operator = await aMember(app, { email: OPERATOR })
  person = await aMember(app)
})
afterEach(() => test.close())

const suspend = (until: Date | null = null, userId = person.userId) =>
  suspendPerson(app, { userId, by: operator.userId, reason: 'Unusual activity', until })
const tokensOf = async (): Promise<{ access_token: string; refresh_token: string }> =>
  (await answerTokenRequest(app, { form: await approve(app, person) })) as never

describe('a suspended account', () => {
  it('loses its sessions, and its sign-in returns 403 with the reason and end', async () => {
    await signInAs(app, person)
    const until = new Date(now + DAY_IN_MS)
    await suspend(until)
    expect(await countRows(app, 'sessions where user_id = ?', [person.userId])).toBe(0)
    await expect(signInAs(app, person)).rejects.toMatchObject({
      code: 'account-suspended',
      status: 403,
      extra: { until: until.toISOString(), reason: 'Unusual activity' },
    })
  })

  it('is refused as suspended for access tokens, renewals, peer calls and programs until it is reactivated', async () => {
    const { access_token: access, refresh_token: refresh } = await tokensOf()
    expect(await authenticateAccessToken(app, access)).not.toBeNull()
    await suspend()
    expect(await refusalOf(authenticateAccessToken(app, access))).toBe('account-suspended')
    expect(await refusalOf(findCalledPerson(app, { email: person.email }))).toBe('account-suspended')
    expect(await actAs(app, { userId: person.userId }, { provider: 'cli' })).toMatchObject({ refusal: 'suspended' })
    await expect(answerTokenRequest(app, { form: renewal(refresh) })).rejects.toMatchObject({
      error: 'invalid_grant',
      description: 'account-suspended: This account is suspended.',
    })
    await reactivatePerson(app, person.userId)
    expect(await authenticateAccessToken(app, access)).not.toBeNull()
    expect(await answerTokenRequest(app, { form: renewal(refresh) })).toHaveProperty('access_token')
    expect(await findCalledPerson(app, { email: person.email })).toMatchObject({ userId: person.userId })
  })

  it('works again when the suspension ends, without a database write', async () => {
    const { access_token: access } = await tokensOf()
    await suspend(new Date(now + 60_000))
    expect(await refusalOf(authenticateAccessToken(app, access))).toBe('account-suspended')
    now += 60_000
    expect(await authenticateAccessToken(app, access)).not.toBeNull()
    expect(await signInAs(app, person)).toContain('session_token=')
    expect((await listPeople(app, { suspended: true })).people).toEqual([])
  })

  it('cannot be an operator, the caller or an unknown account, and needs a future end', async () => {
    const other = await aMember(app)
    const by = { by: other.userId, reason: 'x', until: null }
    expect(await refusalOf(suspend(null, operator.userId))).toBe('cannot-suspend')
    expect(await refusalOf(suspendPerson(app, { ...by, userId: operator.userId }))).toBe('cannot-suspend')
    expect(await refusalOf(suspendPerson(app, { ...by, userId: other.userId }))).toBe('cannot-suspend')
    expect(await refusalOf(suspend(null, 'nobody'))).toBe('not-found')
    expect(await refusalOf(suspend(new Date(now)))).toBe('invalid-input')
    expect(await query(app, 'select 1 from users where suspended_at is not null')).toEqual([])
  })

  it('creates one security event for its suspension and one for its reactivation', async () => {
    await suspend()
    await reactivatePerson(app, person.userId)
    await reactivatePerson(app, person.userId)
    const events = await query(app, 'select kind, reason from security_events where user_id = ? order by id', [
      person.userId,
    ])
    expect(events).toEqual([
      { kind: 'account-suspended', reason: 'Unusual activity' },
      { kind: 'account-reactivated', reason: 'by an operator' },
    ])
  })
})

describe('listPeople', () => {
  it('returns each account once across pages, newest first, even with equal creation times', async () => {
    for (let n = 0; n < 120; n++) await addPerson(app, { name: `Many ${n}`, createdAt: new Date(now + (n % 3)) })
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await listPeople(app, { search: 'many', cursor })
      seen.push(...page.people.map(({ id }) => id))
      cursor = page.cursor ?? undefined
    } while (cursor)
    expect([seen.length, new Set(seen).size]).toEqual([120, 120])
  })

  it('matches parts of names or addresses, treats a percent sign literally, and returns pending email and suspension', async () => {
    await suspend()
    const byAddress = await listPeople(app, { search: person.email.slice(0, 9) })
    expect(byAddress.people.find(({ id }) => id === person.userId)).toMatchObject({
      email: person.email,
      emailVerified: true,
      isOperator: false,
      pendingEmail: null,
      suspension: { reason: 'Unusual activity', until: null },
    })
    expect((await listPeople(app, { search: '%' })).people).toEqual([])
    expect((await listPeople(app, { suspended: true })).people.map(({ id }) => id)).toEqual([person.userId])
  })
})
