import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { disconnect, getAccessToken, getMachineToken } from '#fairway/server/domains/oauth-client'
import { saveConnection } from '#fairway/server/domains/oauth-client/stored-connections'
import type { App } from '#fairway/server/kernel/app-context'
import { createTestApp, type TestApp } from '../../../support/app'
import { withInterruption, withLatency } from '../../../support/database-slow'
import { query } from '../../../support/query'

const tracker = {
  id: 'tracker',
  name: 'Tracker',
  endpoints: { authorization: 'https://tracker.test/authorize', token: 'https://tracker.test/token' },
  clientId: 'fairway',
  clientSecret: 'tracker-secret',
}

let test: TestApp
let app: App
/** The bodies that the token endpoint received. */
let asked: URLSearchParams[]
let answer: () => Response | Promise<Response>

beforeEach(async () => {
  asked = []
  test = await createTestApp({
    FW_OAUTH_PROVIDERS: JSON.stringify([
      tracker,
      { ...tracker, id: 'robot', grant: 'client_credentials', scopes: ['jobs'], clientAuthentication: 'post' },
    ]),
  })
  answer = () =>
    Response.json({
      access_token: `access-${asked.length}`,
      refresh_token: `refresh-${asked.length}`,
      token_type: 'Bearer',
      expires_in: 3600,
    })
  app = {
    ...test.app,
    async fetch(_input, init) {
      asked.push(new URLSearchParams(String(init?.body)))
      await sleep(30)
      return answer()
    },
  }
})
afterEach(() => test.close())

const save = (expiresIn: number | undefined, refreshToken = 'refresh-0', accessToken = 'access-0') =>
  saveConnection(app, {
    userId: 'ada',
    provider: 'tracker',
    tokens: { access_token: accessToken, refresh_token: refreshToken, token_type: 'bearer', expires_in: expiresIn },
    scopes: [],
  })
const get = (from: App = app) => getAccessToken(from, 'ada', 'tracker')
const row = async () => (await query(app, 'select * from oauth_tokens'))[0]

describe('stored access token', () => {
  it('is used until five minutes before it expires, then refreshed and stored', async () => {
    await save(301)
    expect(await get()).toBe('access-0')
    await save(299)
    expect(await get()).toBe('access-1')
    expect(Object.fromEntries(asked[0] ?? [])).toMatchObject({
      grant_type: 'refresh_token',
      refresh_token: 'refresh-0',
    })
    expect(await get()).toBe('access-1')
    expect(asked).toHaveLength(1)
  })

  it('is never refreshed when the provider set no expiry', async () => {
    await save(undefined)
    expect([await get(), asked.length]).toEqual(['access-0', 0])
  })

  it('keeps its refresh token when the provider sends none, and works with a short lifetime', async () => {
    answer = () => Response.json({ access_token: 'short', token_type: 'Bearer', expires_in: 60 })
    await save(10)
    expect(await get()).toBe('short')
    await get()
    expect(asked[1]?.get('refresh_token')).toBe('refresh-0')
  })

  it('is refreshed once for fifty callers of two instances with a slow database', async () => {
    await save(10)
    const instances = [withLatency(app), withLatency(app)]
    const tokens = await Promise.all(Array.from({ length: 50 }, (_, index) => get(instances[index % 2])))
    expect(new Set(tokens)).toEqual(new Set(['access-1']))
    expect(asked).toHaveLength(1)
  })

  it('requires a new connection after a refused refresh, without calling the provider again', async () => {
    answer = () => Response.json({ error: 'invalid_grant' }, { status: 400 })
    await save(10)
    for (let time = 0; time < 3; time++) await expect(get()).rejects.toMatchObject({ code: 'reconnect-required' })
    expect(asked).toHaveLength(1)
    expect(await row()).toMatchObject({ status: 'reconnect_required' })
  })

  it('works until it expires while the provider is down, then fails with provider-unavailable', async () => {
    answer = () => new Response('down', { status: 503 })
    await save(100)
    expect(await get()).toBe('access-0')
    await save(-1)
    await expect(get()).rejects.toMatchObject({ code: 'provider-unavailable' })
    expect(await row()).toMatchObject({ status: 'active', lease_owner: null })
  })

  it('is refreshed once the lease of a caller that has died ends, and not before', async () => {
    await save(10)
    const ends = app.now().getTime() + 250
    await query(app, `update oauth_tokens set lease_owner = 'dead', lease_until = ?`, [ends])
    let refreshedAt = 0
    const refresh = answer
    answer = () => {
      refreshedAt = app.now().getTime()
      return refresh()
    }
    expect(await get()).toBe('access-1')
    expect(asked).toHaveLength(1)
    expect(refreshedAt).toBeGreaterThan(ends)
    expect(await row()).toMatchObject({ lease_owner: null, lease_until: null })
  })

  it('keeps a newer authorization while an older refresh is running', async () => {
    await save(10)
    answer = async () => {
      await save(3600, 'refresh-newer', 'newer')
      return Response.json({ access_token: 'older', token_type: 'Bearer', expires_in: 3600 })
    }
    expect(await get()).toBe('newer')
    expect(await row()).toMatchObject({ status: 'active' })
    expect(await get()).toBe('newer')
    expect(asked).toHaveLength(1)
  })

  it('remains after a disconnect that read the connection before', async () => {
    await save(3600)
    const saveBetween = () => save(3600, 'refresh-newer', 'newer')
    const interrupted = withInterruption(app, 1, saveBetween)
    expect(await disconnect(interrupted.app, 'ada', 'tracker')).toEqual({ revoked: false })
    expect(interrupted.calls()).toBeGreaterThan(1)
    expect(await get()).toBe('newer')
  })

  it('cannot be copied to another row', async () => {
    await save(3600)
    const before = await row()
    await saveConnection(app, {
      userId: 'eve',
      provider: 'tracker',
      tokens: { access_token: 'eves', token_type: 'bearer' },
      scopes: [],
    })
    await query(app, `update oauth_tokens set access_token = ? where user_id = 'eve'`, [String(before?.access_token)])
    await expect(getAccessToken(app, 'eve', 'tracker')).rejects.toMatchObject({ code: 'reconnect-required' })
  })
})

describe('machine token', () => {
  it('is requested once for concurrent callers, and again near its expiry', async () => {
    const tokens = await Promise.all(Array.from({ length: 20 }, () => getMachineToken(app, 'robot')))
    expect(new Set(tokens)).toEqual(new Set(['access-1']))
    expect(Object.fromEntries(asked[0] ?? [])).toMatchObject({
      grant_type: 'client_credentials',
      scope: 'jobs',
      client_id: 'fairway',
    })
    const later = { ...app, now: () => new Date(app.now().getTime() + 3_400_000) }
    expect(await getMachineToken(later, 'robot')).toBe('access-2')
  })

  it('is requested again after a failure', async () => {
    answer = () => new Response('down', { status: 500 })
    await expect(getMachineToken(app, 'robot')).rejects.toMatchObject({ code: 'provider-unavailable' })
    answer = () => Response.json({ access_token: 'back', token_type: 'Bearer' })
    expect(await getMachineToken(app, 'robot')).toBe('back')
  })
})
