import { afterEach, describe, expect, it } from 'vitest'
import type { FwConfigInput } from '#fairway/server/kernel/config/fw-config'
import callbackRoute from '#fairway/server/routes/_fw/identity/callback'
import loginRoute from '#fairway/server/routes/_fw/identity/login'
import signInRoute from '#fairway/server/routes/sign-in'
import { createTestApp } from '../../../support/app'
import { A2A_SECRET } from '../../../support/secrets'
import { freePort } from '../../../support/server'
import { serveHandlers } from '../../../support/web-handlers'

const HUB = 'https://hub.example.test'
const DESKTOP = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0 Safari/537.36 Fairway-Desktop/1.2'
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0 Safari/537.36'
const CROSSING = `?code=${'a'.repeat(43)}&state=${'0'.repeat(64)}`

const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close()
})

async function start(env: Record<string, string>, declared: FwConfigInput) {
  const origin = `http://localhost:${await freePort()}`
  const test = await createTestApp({ FW_BASE_URL: origin, ...env }, declared)
  open.push(test.close)
  const routes = {
    '/sign-in': signInRoute,
    '/_fw/identity/login': loginRoute,
    '/_fw/identity/callback': callbackRoute,
  }
  const server = await serveHandlers(test.app, { routes })
  open.push(server.stop)
  const get = (path: string, userAgent: string, init: RequestInit = {}) =>
    fetch(origin + path, { redirect: 'manual', ...init, headers: { 'user-agent': userAgent } })
  return { test, get }
}

const withSecret = { A2A_SECRET }

describe('hub that only the app’s declaration names', () => {
  it('is available to the desktop app and hidden from browsers', async () => {
    const { get } = await start(withSecret, { identity: { hubUrl: HUB } })
    for (const path of ['/_fw/identity/login', `/_fw/identity/callback${CROSSING}`]) {
      for (const method of ['GET', 'HEAD', 'POST']) expect((await get(path, BROWSER, { method })).status).toBe(404)
      expect((await get(path, DESKTOP)).status).toBe(303)
    }
    const pages = await Promise.all([BROWSER, DESKTOP].map(async agent => (await get('/sign-in', agent)).text()))
    expect(pages[1]).toBe(pages[0])
    expect(pages[0]).not.toContain('hub')
    const location = (await get('/_fw/identity/login', DESKTOP)).headers.get('location')
    expect(location).toMatch(/^https:\/\/hub\.example\.test\/_fw\/identity\/authorize\?/)
  })

  it('rejects a client that only claims to be the desktop app', async () => {
    const { get } = await start(withSecret, { identity: { hubUrl: HUB } })
    const answer = await get(`/_fw/identity/callback${CROSSING}`, DESKTOP)
    expect(answer.headers.get('location')).toBe('/sign-in?error=invalid-state')
    expect(answer.headers.getSetCookie()).toEqual([])
  })

  it('is unavailable without the shared secret', async () => {
    const { get } = await start({}, { identity: { hubUrl: HUB } })
    expect((await get('/_fw/identity/login', DESKTOP)).status).toBe(404)
  })

  it('is replaced by the operator’s hub, which is available to everyone', async () => {
    const env = { ...withSecret, FW_IDENTITY_HUB_URL: 'https://other.example.test' }
    const { get } = await start(env, { identity: { hubUrl: HUB } })
    const location = (await get('/_fw/identity/login', BROWSER)).headers.get('location')
    expect(location).toContain('https://other.example.test/')
    expect(await (await get('/sign-in', BROWSER)).text()).toContain('Continue with other.example.test')
  })
})

describe('app that is the hub itself, or that uses external sessions', () => {
  it('returns 404 for hub sign-in routes', async () => {
    const port = await freePort()
    const origin = `http://localhost:${port}`
    const test = await createTestApp({ ...withSecret, FW_BASE_URL: origin, FW_IDENTITY_HUB_URL: origin })
    open.push(test.close)
    const server = await serveHandlers(test.app, { routes: { '/_fw/identity/login': loginRoute } })
    open.push(server.stop)
    expect((await fetch(`${origin}/_fw/identity/login`)).status).toBe(404)
    const elsewhere = await start({ ...withSecret, FW_IDENTITY_HUB_URL: HUB }, { getSession: () => null })
    expect((await elsewhere.get('/_fw/identity/login', BROWSER)).status).toBe(404)
    expect((await elsewhere.get(`/_fw/identity/callback${CROSSING}`, DESKTOP)).status).toBe(404)
  })
})
