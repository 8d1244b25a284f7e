import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  answerTokenRequest,
  authenticateAccessToken,
  disconnectApp,
  listGrants,
  publicKeys,
  registerClient,
} from '#fairway/server/domains/oauth-server'
import { leaveOrganization, requireOrg, setAuthProvider } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import type { Session } from '#fairway/shared/schemas/session'
import { createTestApp, type TestApp } from '../../../support/app'
import { withLatency } from '../../../support/database-slow'
import { refusalOf } from '../../../support/error-code'
import { addTo, aMember, sessionNow } from '../../../support/members'
import { approve, REDIRECT_URI, renewal } from '../../../support/oauth-grant'
import { query } from '../../../support/query'

const ROUNDS = 6
const AT_ONCE = 50
let test: TestApp
let slow: App
let owner: Session

async function start(env: Record<string, string> = {}) {
  test = await createTestApp(env)
  slow = withLatency(test.app)
  owner = await aMember(test.app)
}
beforeEach(() => start({ GOOGLE_CLIENT_ID: 'id', GOOGLE_CLIENT_SECRET: 'secret' }))
afterEach(() => test.close())

type Answer = Awaited<ReturnType<typeof answerTokenRequest>>
const token = (form: Record<string, string>, on: App = test.app) => answerTokenRequest(on, { form })
/** Sends many requests at once over a slow database. Returns the answers and the error codes. */
async function atOnce(form: Record<string, string>) {
  const results = await Promise.allSettled(Array.from({ length: AT_ONCE }, () => token(form, slow)))
  return {
    answers: results.flatMap(result => (result.status === 'fulfilled' ? [result.value] : [])),
    errors: new Set(results.flatMap(result => (result.status === 'rejected' ? [result.reason.error] : []))),
  }
}
const isDead = async (answer: Answer) =>
  (await authenticateAccessToken(test.app, answer.access_token)) === null &&
  (await refusalOf(token(renewal(answer.refresh_token)))) === 'invalid_grant'

describe('concurrent OAuth requests', () => {
  it('with one code return one answer, whose connection goes on', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const { answers, errors } = await atOnce(await approve(test.app, owner))
      expect(errors).toEqual(new Set(['invalid_grant']))
      expect(answers).toHaveLength(1)
      expect(await authenticateAccessToken(test.app, answers[0]?.access_token ?? '')).not.toBeNull()
      expect(await refusalOf(token(renewal(answers[0]?.refresh_token)))).toBe('done')
    }
    expect(await query(test.app, 'select kind from security_events')).toEqual([])
  }, 60_000)

  it.each<[string, Record<string, string>]>([
    ['a wrong verifier', { code_verifier: 'x'.repeat(43) }],
    ['another client', { client_id: 'https://another.example.com/client.json' }],
  ])(
    'with one code, of which one has %s, leave no valid connection once the code was used',
    async (_what, change) => {
      for (let round = 0; round < ROUNDS; round++) {
        const form = await approve(test.app, owner)
        const results = await Promise.allSettled([
          ...Array.from({ length: 10 }, () => token(form, slow)),
          token({ ...form, ...change }, slow),
          ...Array.from({ length: 10 }, () => token(form, slow)),
        ])
        // The different one may come before the first use. It comes once more after it.
        expect(await refusalOf(token({ ...form, ...change }))).toBe('invalid_grant')
        for (const result of results) if (result.status === 'fulfilled') expect(await isDead(result.value)).toBe(true)
        expect(await listGrants(test.app, owner)).toEqual([])
      }
    },
    60_000,
  )

  it('with one refresh token and no replay window return one successor and end the connection', async () => {
    await test.close()
    await start({ FW_REFRESH_REPLAY_WINDOW: '0' })
    for (let round = 0; round < ROUNDS; round++) {
      const first = await token(await approve(test.app, owner))
      const { answers, errors } = await atOnce(renewal(first.refresh_token))
      expect(answers).toHaveLength(1)
      expect(errors).toEqual(new Set(['invalid_grant']))
      for (const answer of [first, ...answers]) expect(await isDead(answer)).toBe(true)
    }
  }, 60_000)

  it('with one refresh token within the replay window return the same successor to every request', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const first = await token(await approve(test.app, owner))
      const { answers } = await atOnce(renewal(first.refresh_token))
      expect(answers).toHaveLength(AT_ONCE)
      expect(new Set(answers.map(answer => answer.refresh_token)).size).toBe(1)
      expect(await authenticateAccessToken(test.app, answers[0]?.access_token ?? '')).not.toBeNull()
      await token(renewal(answers[0]?.refresh_token))
    }
  }, 60_000)

  it('to refresh several generations keep the connection and leave one unused token', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const first = await token(await approve(test.app, owner))
      // Renews each answer as soon as it arrives, while other requests still use earlier tokens.
      const renewed = async (from: string | undefined, generations: number): Promise<Answer[]> => {
        const answer = await token(renewal(from), slow)
        return generations === 1 ? [answer] : [answer, ...(await renewed(answer.refresh_token, generations - 1))]
      }
      const answers = await Promise.all(Array.from({ length: 8 }, () => renewed(first.refresh_token, 3)))
      for (const answer of answers.flat()) {
        expect(await authenticateAccessToken(test.app, answer.access_token)).not.toBeNull()
      }
      const unused = 'select hash from oauth_refresh_tokens where replaced_by is null'
      const [last, ...others] = await query(test.app, `${unused} and grant_id = (select max(id) from oauth_grants)`)
      expect([others, answers.flat().map(answer => sha256(answer.refresh_token ?? ''))]).toEqual([
        [],
        expect.arrayContaining([last?.hash]),
      ])
    }
  }, 60_000)

  it('to disconnect and to refresh leave no valid token, in any order', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const first = await token(await approve(test.app, owner))
      const [grant] = await listGrants(test.app, owner)
      const [renewed] = await Promise.allSettled([
        token(renewal(first.refresh_token), slow),
        disconnectApp(slow, owner, grant?.id ?? ''),
      ])
      expect(await isDead(first)).toBe(true)
      if (renewed.status === 'fulfilled') expect(await isDead(renewed.value)).toBe(true)
    }
  })

  it('to leave the organization and to get tokens leave the person without access', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const member = await aMember(test.app)
      await addTo(test.app, owner, member, 'member')
      const there = { ...member, ...owner, userId: member.userId, email: member.email, orgRole: 'member' as const }
      const first = await token(await approve(test.app, there))
      const form = await approve(test.app, there)
      const results = await Promise.allSettled([
        token(form, slow),
        token(renewal(first.refresh_token), slow),
        leaveOrganization(slow, requireOrg(there, 'read-organization')).then(() => undefined),
      ])
      for (const result of results) {
        if (result.status === 'fulfilled' && result.value) expect(await isDead(result.value)).toBe(true)
      }
      expect(await authenticateAccessToken(test.app, first.access_token)).toBeNull()
      expect((await sessionNow(test.app, member)).orgId).not.toBe(owner.orgId)
    }
  })

  it('to approve an app and to require a provider leave no valid connection', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const person = await aMember(test.app)
      const approvals = Array.from({ length: 10 }, () => approve(slow, person))
      const rule = setAuthProvider(slow, requireOrg(person, 'set-auth-provider'), { provider: 'google', confirm: true })
      const outcomes = await Promise.allSettled([...approvals.slice(0, 5), rule, ...approvals.slice(5)])
      expect(outcomes[5]?.status).toBe('fulfilled')
      const live = 'select id from oauth_grants where user_id = ? and revoked_at is null'
      expect(await query(test.app, live, [person.userId])).toEqual([])
    }
  }, 60_000)

  it('to register one client create one client and count once', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const metadata = { client_name: `Host ${round}`, redirect_uris: [REDIRECT_URI] }
      const sent = Array.from({ length: 20 }, () => registerClient(slow, metadata, '203.0.113.7'))
      expect(new Set((await Promise.all(sent)).map(client => client.client_id)).size).toBe(1)
      expect(await query(test.app, 'select name from oauth_clients')).toHaveLength(round + 1)
      const counted = `select count from rate_limits where key like 'oauth-register-address:%'`
      expect(await query(test.app, counted)).toEqual([{ count: round + 1 }])
    }
  })

  it('for the first signing key create one key', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await query(test.app, 'delete from oauth_keys')
      const lists = await Promise.all(Array.from({ length: 20 }, () => publicKeys(withLatency(test.app))))
      expect(new Set(lists.flatMap(({ keys }) => keys.map(key => key.kid))).size).toBe(1)
      expect(await query(test.app, 'select id from oauth_keys')).toHaveLength(1)
    }
  })
})
