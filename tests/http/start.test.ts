import { spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { builtServer } from '../../scripts/sample.mjs'
import { createBrowser, sessionOf } from '../support/http'
import { query } from '../support/query'
import { SECRET } from '../support/secrets'
import { borrowServer, databaseOf, startServer } from '../support/server'

/** Starts the built server with exactly this environment and waits until it exits. */
function runToEnd(env: Record<string, string>): Promise<{ code: number | null; output: string }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'fw-start-'))
  const child = spawn('node', [builtServer], {
    env: { PATH: process.env.PATH ?? '', FW_DATA_DIR: dataDir, PORT: '0', ...env },
  })
  let output = ''
  child.stdout.on('data', chunk => (output += String(chunk)))
  child.stderr.on('data', chunk => (output += String(chunk)))
  const timer = setTimeout(() => child.kill('SIGKILL'), 15_000)
  return new Promise(resolve =>
    child.on('exit', code => {
      clearTimeout(timer)
      resolve({ code, output })
    }),
  )
}

describe('start in production', () => {
  it('fails without a base URL and a secret, and names both', async () => {
    const { code, output } = await runToEnd({ NODE_ENV: 'production' })
    expect(code).toBe(1)
    expect(output).toContain('FW_BASE_URL')
    expect(output).toContain('BETTER_AUTH_SECRET')
  })

  it('is the default when NODE_ENV is not set', async () => {
    expect((await runToEnd({})).code).toBe(1)
  })

  it('fails with a weak secret, without repeating it', async () => {
    const secret = 'please-change-me-please-change-me'
    const { code, output } = await runToEnd({ FW_BASE_URL: 'https://app.example.test', BETTER_AUTH_SECRET: secret })
    expect(code).toBe(1)
    expect(output).not.toContain(secret)
  })

  it('fails with sign-in disabled', async () => {
    const env = { FW_BASE_URL: 'https://app.example.test', BETTER_AUTH_SECRET: SECRET, AUTH_DISABLED: 'true' }
    const { code, output } = await runToEnd(env)
    expect(code).toBe(1)
    expect(output).toContain('FW_ALLOW_AUTH_DISABLED')
  })

  it('fails with a file that is not a database', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'fw-start-')), 'broken.db')
    writeFileSync(path, 'this is not a database file, only a text that is long enough to be looked at '.repeat(40))
    const env = { FW_BASE_URL: 'https://app.example.test', BETTER_AUTH_SECRET: SECRET, DATABASE_URL: `file:${path}` }
    expect((await runToEnd(env)).code).toBe(1)
  })

  it('sets secure cookies with the __Host- prefix on https', async () => {
    const server = await startServer({
      env: { NODE_ENV: 'production', FW_BASE_URL: 'https://app.example.test', BETTER_AUTH_SECRET: SECRET },
    })
    const answer = await fetch(`${server.origin}/_fw/auth/sign-up/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'ada@example.test', password: 'zebra quilt 7 lantern', name: 'Ada' }),
    })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('set-cookie')).toMatch(/^__Host-fw\.session_token=.*Secure/)
    expect(answer.headers.get('strict-transport-security')).toBe('max-age=31536000')
    await server.stop()
  })
})

describe('health endpoints', () => {
  it('report live and ready', async () => {
    const server = await borrowServer()
    const live = await fetch(`${server.origin}/_fw/health/live`)
    expect([live.status, await live.json()]).toEqual([200, { status: 'live' }])
    const ready = await fetch(`${server.origin}/_fw/health/ready`)
    expect([ready.status, await ready.json()]).toEqual([
      200,
      { status: 'ready', checks: { database: 'ok', migrations: 'ok', stopping: false } },
    ])
    await server.stop()
  })
})
describe('development account', () => {
  it('is signed in on first use from this machine, once for any number of open tabs', async () => {
    const server = await borrowServer({ env: { NODE_ENV: 'development' } })
    const tabs = Array.from({ length: 5 }, () => createBrowser(server.origin))
    const answers = await Promise.all(tabs.map(tab => tab.get('/sign-in?return=%2Fnotes%3Fa%3D1')))
    for (const answer of answers) {
      expect([answer.status, answer.headers.get('location')]).toEqual([302, '/notes?a=1'])
      expect(answer.headers.get('cache-control')).toBe('no-store')
    }
    const sessions = await Promise.all(tabs.map(async tab => await sessionOf(tab)))
    expect(new Set(sessions.map(session => session.userId)).size).toBe(1)
    expect(sessions[0]).toMatchObject({ email: 'dev@local.test', provider: 'dev' })
    expect(server.log()).not.toMatch(/"level":"error"|password/)
    await server.stop()
  })

  it('is offered as a button after signing out and not signed in again automatically', async () => {
    const server = await borrowServer({ env: { NODE_ENV: 'development' } })
    const browser = createBrowser(server.origin)
    await browser.get('/sign-in')
    await browser.request('/_fw/session', { method: 'DELETE' })
    const page = await browser.get('/sign-in')
    expect(page.status).toBe(200)
    expect(await page.text()).toContain('Continue as dev')
    const back = await browser.post('/sign-in?return=%2Fnotes', { form: { intent: 'dev' } })
    expect([back.status, back.headers.get('location')]).toEqual([303, '/notes'])
    expect(await sessionOf(browser)).toMatchObject({ email: 'dev@local.test' })
    await server.stop()
  })

  it('is not created once a real person exists', async () => {
    const server = await borrowServer({ env: { NODE_ENV: 'development' } })
    const person = { email: 'ada@example.test', password: 'zebra quilt 7 lantern', name: 'Ada' }
    await createBrowser(server.origin).post('/_fw/auth/sign-up/email', { json: person })
    const page = await createBrowser(server.origin).get('/sign-in')
    expect(page.status).toBe(200)
    expect(await page.text()).not.toContain('Continue as dev')
    expect((await createBrowser(server.origin).post('/sign-in', { form: { intent: 'dev' } })).status).toBe(403)
    await server.stop()
  })

  it('is disabled by FW_DISABLE_AUTO_DEV_ACCOUNT', async () => {
    const server = await borrowServer({ env: { NODE_ENV: 'development', FW_DISABLE_AUTO_DEV_ACCOUNT: '1' } })
    expect((await createBrowser(server.origin).get('/sign-in')).status).toBe(200)
    expect((await createBrowser(server.origin).post('/sign-in', { form: { intent: 'dev' } })).status).toBe(403)
    await server.stop()
  })

  it.each(['production', 'test'])('is not created or offered when NODE_ENV is %s', async environment => {
    const server = await borrowServer({ env: { NODE_ENV: environment } })
    const page = await createBrowser(server.origin).get('/sign-in')
    expect([page.status, page.headers.get('set-cookie')]).toEqual([200, null])
    expect(await page.text()).not.toContain('Continue as dev')
    expect((await createBrowser(server.origin).post('/sign-in', { form: { intent: 'dev' } })).status).toBe(403)
    expect(await query(server, 'select id from users')).toEqual([])
    await server.stop()
  })

  it('is not available to remote visitors through a tunnel on this machine', async () => {
    const server = await borrowServer({ env: { NODE_ENV: 'development' } })
    const headers = { 'x-forwarded-for': '203.0.113.9' }
    const page = await createBrowser(server.origin).get('/sign-in', { headers })
    expect([page.status, page.headers.get('set-cookie')]).toEqual([200, null])
    const asked = await createBrowser(server.origin).post('/sign-in', { form: { intent: 'dev' }, headers })
    expect(asked.status).toBe(403)
    expect(await query(server, 'select id from users')).toEqual([])
    await server.stop()
  })

  it('is not available to another machine, regardless of its headers', async context => {
    const outside = Object.values(networkInterfaces())
      .flat()
      .find(address => address?.family === 'IPv4' && !address.internal)
    if (!outside) return context.skip()
    const env = { NODE_ENV: 'development', HOST: '0.0.0.0', FW_ALLOWED_HOSTS: outside.address }
    const server = await borrowServer({ env })
    const remote = server.origin.replace('localhost', outside.address)
    const answer = await fetch(`${remote}/sign-in`, { headers: { 'x-forwarded-for': '127.0.0.1' }, redirect: 'manual' })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('set-cookie')).toBeNull()
    await server.stop()
  })

  it('is rejected when its database is opened in production', async () => {
    const development = await startServer({ env: { NODE_ENV: 'development' } })
    const browser = createBrowser(development.origin)
    await browser.get('/sign-in')
    const database = databaseOf(development)
    await development.stop()
    const production = await startServer({
      database,
      env: { NODE_ENV: 'production', BETTER_AUTH_SECRET: development.secret },
    })
    const answer = await fetch(`${production.origin}/_fw/session`, { headers: { cookie: browser.cookieHeader() } })
    expect((await answer.json()).session).toBeNull()
    const json = { email: 'dev@local.test', password: 'zebra quilt 7 lantern' }
    expect((await createBrowser(production.origin).post('/_fw/auth/sign-in/email', { json })).status).toBe(403)
    expect(production.log()).toContain('the database holds a development account')
    expect(production.log()).toMatch(
      /accounts open before their address is confirmed.*"setting":"SMTP_URL and EMAIL_FROM"/,
    )
    const ready = await (await fetch(`${production.origin}/_fw/health/ready`)).json()
    expect(ready).toMatchObject({ status: 'ready', checks: { devAccount: 'refused' } })
    await production.stop()
  })
})

it('the server exits with a reason when its port is in use', async () => {
  const first = await startServer()
  await expect(startServer({ env: { PORT: new URL(first.origin).port } })).rejects.toThrow(
    /ended with 1:[^]*cannot listen[^]*EADDRINUSE/,
  )
  await first.stop()
})

describe('AUTH_DISABLED', () => {
  it('runs every request as one fixed identity and shows a notice', async () => {
    const server = await borrowServer({ env: { AUTH_DISABLED: 'true' } })
    const answer = await fetch(`${server.origin}/_fw/session`)
    expect((await answer.json()).session).toMatchObject({ email: 'dev@local.test', provider: 'auth-disabled' })
    expect(answer.headers.get('x-fairway-auth')).toBe('disabled')
    for (const path of ['/', '/about', '/nothing-here']) {
      const page = await fetch(server.origin + path)
      expect(page.headers.get('x-fairway-auth')).toBe('disabled')
      expect(await page.text(), path).toMatch(/<body[^>]*><p role="status"[^>]*>Sign-in is switched off here/)
    }
    const browser = createBrowser(server.origin)
    await browser.post('/_fw/auth/sign-up/email', {
      json: { email: 'real@example.test', password: 'zebra quilt 7 lantern', name: 'Real' },
    })
    expect(await sessionOf(browser)).toMatchObject({ email: 'dev@local.test' })
    await server.stop()
  })
})

describe('rate limits', () => {
  it('stop password guessing for one account after five attempts across two servers, without blocking other accounts', async () => {
    const first = await startServer({ env: { FW_RATE_LIMITS: 'on' } })
    const second = await startServer({
      database: databaseOf(first),
      env: { FW_RATE_LIMITS: 'on', BETTER_AUTH_SECRET: first.secret, FW_BASE_URL: first.origin },
    })
    const json = { email: 'ada@example.test', password: 'wrong password here' }
    const tryAt = (origin: string, email = json.email) =>
      fetch(`${origin}/_fw/auth/sign-in/email`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': String(Math.random()) },
        body: JSON.stringify({ ...json, email }),
      })
    const statuses: number[] = []
    for (let index = 0; index < 6; index++) {
      statuses.push(
        (await tryAt(index % 2 ? first.origin : second.origin, index % 2 ? json.email : ' ADA@example.test')).status,
      )
    }
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429])
    const refused = await tryAt(second.origin)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refused.json()).toMatchObject({ code: 'rate-limited' })
    expect((await tryAt(first.origin, 'other@example.test')).status).toBe(401)
    await Promise.all([first.stop(), second.stop()])
  })
})
