import { beforeEach, describe, expect, it } from 'vitest'
import { answerTokenRequest, authenticateAccessToken, listGrants } from '#fairway/server/domains/oauth-server'
import type { App } from '#fairway/server/kernel/app-context'
import type { Session } from '#fairway/shared/schemas/session'
import { useTestApp } from '../../../support/use-app'
import { withLatency } from '../../../support/database-slow'
import { refusalOf } from '../../../support/error-code'
import { addTo, aMember } from '../../../support/members'
import { approve, renewal } from '../../../support/oauth-grant'
import { query } from '../../../support/query'

const test = useTestApp()
let app: App
let owner: Session

beforeEach(async () => {
  app = test.app
  owner = await aMember(app)
})

const token = (form: Record<string, string>, on: App = app) => answerTokenRequest(on, { form })
const connect = async (person: Session = owner, input: Parameters<typeof approve>[2] = {}) =>
  token(await approve(app, person, input))
const call = async (accessToken: string) => (await authenticateAccessToken(app, accessToken)) !== null
const live = async () => (await query(app, 'select id from oauth_grants where revoked_at is null')).length

describe('new consent for an unused connection', () => {
  it('replaces the connection, whatever port the app listens on', async () => {
    const first = await connect(owner, { redirectUri: 'http://127.0.0.1:51234/callback' })
    const form = await approve(app, owner, { redirectUri: 'http://127.0.0.1:51235/callback' })
    expect(await call(first.access_token)).toBe(false)
    expect(await refusalOf(token(renewal(first.refresh_token)))).toBe('invalid_grant')
    expect(await call((await token(form)).access_token)).toBe(true)
    expect(await listGrants(app, owner)).toHaveLength(1)
    expect(await query(app, 'select revoked_reason as reason from oauth_grants order by created_at, id')).toEqual([
      { reason: 'replaced' },
      { reason: null },
    ])
  })

  it('replaces an approval whose code was never exchanged', async () => {
    const form = await approve(app, owner)
    await connect()
    expect(await refusalOf(token(form))).toBe('invalid_grant')
    expect(await live()).toBe(1)
  })

  it('leaves one of several concurrent consents', async () => {
    const slow = withLatency(app)
    for (let round = 0; round < 5; round++) {
      const forms = await Promise.all(Array.from({ length: 10 }, () => approve(slow, owner)))
      const outcomes = await Promise.all(forms.map(form => refusalOf(token(form, slow))))
      expect(outcomes.filter(outcome => outcome === 'done')).toHaveLength(1)
      expect(await live()).toBe(1)
    }
  })

  it.each<[string, (person: Session) => Promise<Parameters<typeof connect>>]>([
    ['another app', async person => [person, { clientId: 'another' }]],
    ['another address', async person => [person, { redirectUri: 'http://127.0.0.1:51234/other' }]],
    ['another loopback name', async person => [person, { redirectUri: 'http://localhost:51234/callback' }]],
    ['another person', async () => [await aMember(app)]],
    ['another organization', async person => [{ ...person, orgId: await secondOrg(person) }]],
  ])('does not affect the connection when it is for %s', async (_what, other) => {
    const first = await connect()
    const [person, input] = await other(owner)
    const second = await connect(person, input)
    expect([await call(first.access_token), await call(second.access_token)]).toEqual([true, true])
  })

  it('does not affect the connection when it is refused', async () => {
    const member = await aMember(app)
    await addTo(app, owner, member, 'member')
    const there = { ...member, orgId: owner.orgId }
    const first = await connect(there)
    await query(app, `update organizations set required_auth_provider = 'corp' where id = ?`, [owner.orgId])
    expect(await refusalOf(approve(app, there))).toBe('access_denied')
    await query(app, 'update organizations set required_auth_provider = null where id = ?', [owner.orgId])
    expect(await call(first.access_token)).toBe(true)
  })

  async function secondOrg(person: Session): Promise<string> {
    const stranger = await aMember(app)
    await addTo(app, stranger, person, 'member')
    return stranger.orgId ?? ''
  }
})

describe('two installations of one app', () => {
  it('stay connected when one makes calls and the other refreshes its token', async () => {
    const called = await connect()
    expect(await call(called.access_token)).toBe(true)
    const renewed = await connect()
    const next = await token(renewal(renewed.refresh_token))
    const third = await connect()
    for (const answer of [called, next, third]) expect(await call(answer.access_token)).toBe(true)
    expect(await listGrants(app, owner)).toHaveLength(3)
  })

  it('stay connected when a call was answered just before the second consent', async () => {
    const slow = withLatency(app)
    const first = await connect()
    await authenticateAccessToken(slow, first.access_token)
    await approve(slow, owner)
    expect(await call(first.access_token)).toBe(true)
  })
})
