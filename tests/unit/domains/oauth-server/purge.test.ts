import { beforeEach, describe, expect, it } from 'vitest'
import {
  answerTokenRequest,
  authenticateAccessToken,
  purgeOAuth,
  purgeOAuthClients,
  registerClient,
  toOAuthAnswer,
} from '#fairway/server/domains/oauth-server'
import { endGrantsStatements } from '#fairway/server/kernel/dependent-rows'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { Session } from '#fairway/shared/schemas/session'
import { useTestApp } from '../../../support/use-app'
import { refusalOf } from '../../../support/error-code'
import { aMember } from '../../../support/members'
import { approve, REDIRECT_URI, renewal } from '../../../support/oauth-grant'
import { countRows, query } from '../../../support/query'

const HOUR = 60 * 60
const DAY = 24 * HOUR
const test = useTestApp()
let owner: Session

beforeEach(async () => {
  owner = await aMember(test.app)
})

const later = (seconds: number): App => ({ ...test.app, now: () => new Date(Date.now() + seconds * 1000) })
const token = (form: Record<string, string>, on: App = test.app) => answerTokenRequest(on, { form })
const counts = async () => [
  await countRows(test.app, 'oauth_grants'),
  await countRows(test.app, 'oauth_codes'),
  await countRows(test.app, 'oauth_refresh_tokens'),
]

describe('purgeOAuth', () => {
  it('keeps active connections, and later reuse of a refresh token is still detected', async () => {
    const form = await approve(test.app, owner)
    const first = await token(form)
    const second = await token(renewal(first.refresh_token))
    await purgeOAuth(later(29 * DAY))
    expect(await counts()).toEqual([1, 1, 2])
    expect(await refusalOf(token(renewal(first.refresh_token), later(60)))).toBe('invalid_grant')
    expect(await authenticateAccessToken(test.app, second.access_token)).toBeNull()
  })

  it('revokes approvals whose code was never exchanged, and deletes the code', async () => {
    await approve(test.app, owner)
    await purgeOAuth(later(2 * HOUR))
    expect(await counts()).toEqual([1, 0, 0])
    const rows = await query(test.app, 'select revoked_reason from oauth_grants')
    expect(rows).toMatchObject([{ revoked_reason: 'unused' }])
  })

  it('deletes expired codes and refresh tokens, and later the grants', async () => {
    await token(await approve(test.app, owner))
    await token(await approve(test.app, owner, { scope: ['mcp:read'], clientId: 'another' }))
    await purgeOAuth(later(31 * DAY))
    expect(await counts()).toEqual([1, 0, 0])
    await purgeOAuth(later(62 * DAY))
    expect(await counts()).toEqual([0, 0, 0])
  })
})

describe('purgeOAuthClients', () => {
  it('deletes clients after 90 days without a live grant, whether or not a person saw their consent page', async () => {
    const now = Date.now()
    const add = async (name: string, createdDaysAgo: number, seenDaysAgo: number | null) => {
      const metadata = { client_name: name, redirect_uris: [REDIRECT_URI] }
      const { client_id: id } = await registerClient(test.app, metadata, '203.0.113.7')
      const seenAt = seenDaysAgo === null ? null : now - seenDaysAgo * DAY * 1000
      const set = 'update oauth_clients set created_at = ?, last_used_at = ? where id = ?'
      await query(test.app, set, [now - createdDaysAgo * DAY * 1000, seenAt, id])
      return id
    }
    await add('seen', 100, 89)
    await add('seen long ago', 100, 91)
    await add('unseen', 89, null)
    await add('unseen for long', 91, null)
    await approve(test.app, owner, { clientId: await add('connected', 100, 95) })
    const disconnected = await add('disconnected', 100, 95)
    await approve(test.app, owner, { clientId: disconnected })
    await query(test.app, 'update oauth_grants set revoked_at = ? where client_id = ?', [now, disconnected])
    expect(await countRows(test.app, 'oauth_clients')).toBe(6)
    await purgeOAuthClients(test.app)
    const left = await query(test.app, 'select name from oauth_clients')
    expect(left.map(({ name }) => name).toSorted()).toEqual(['connected', 'seen', 'unseen'])
  })
})

describe('endGrantsStatements', () => {
  const connect = async (session: Session) => (await token(await approve(test.app, session))).access_token
  const end = ({ userId, orgId }: { userId?: string; orgId?: string }, when = '1') => {
    const condition = { sql: `coalesce(user_id = ?, 1) and coalesce(org_id = ?, 1) and ${when}` }
    const args = [userId ?? null, orgId ?? null]
    return test.app.db.client.batch(endGrantsStatements(test.app, { ...condition, args }, 'test'))
  }
  const isLive = async (access: string) => (await authenticateAccessToken(test.app, access)) !== null

  it('end the grants of a person, of an organization, or of a person in an organization', async () => {
    const other = await aMember(test.app)
    const { userId } = owner
    const orgId = owner.orgId ?? ''
    const [mine, theirs] = [await connect(owner), await connect(other)]
    await end({ userId, orgId: other.orgId ?? '' })
    await end({ userId }, '0')
    expect([await isLive(mine), await isLive(theirs)]).toEqual([true, true])
    await end({ userId, orgId })
    expect([await isLive(mine), await isLive(theirs)]).toEqual([false, true])
    const next = await connect(owner)
    await end({ orgId })
    expect([await isLive(next), await isLive(theirs)]).toEqual([false, true])
    await end({ userId: other.userId })
    expect(await isLive(theirs)).toBe(false)
  })
})

describe('toOAuthAnswer', () => {
  it('hides the details of internal errors', () => {
    const answer = toOAuthAnswer(new AppError('internal', { detail: 'select secret', cause: new Error('secret') }))
    expect(answer.status).toBe(500)
    expect(answer.body.error).toBe('server_error')
    expect(JSON.stringify(answer)).not.toContain('secret')
  })
})
