import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { statusAndCode } from '../support/error-code'
import { createBrowser, signUp, type TestBrowser } from '../support/http'
import { A2A_SECRET } from '../support/secrets'
import { borrowServer, type TestServer } from '../support/server'
import { serveSilence, type WebServer } from '../support/web-server'

const ada = { email: 'ada@example.test', password: 'quiet harbour lantern 42', name: 'Ada' }
const AT_ONCE = 50
const LIMIT_IN_MS = 15_000

let silent: WebServer
let server: TestServer
let browser: TestBrowser

beforeAll(async () => {
  silent = await serveSilence()
  server = await borrowServer({
    env: {
      // The same peer in three roles: it accepts every connection and never responds.
      SMTP_URL: `smtp://127.0.0.1:${silent.port}`,
      EMAIL_FROM: 'no-reply@example.test',
      AUTH_SKIP_EMAIL_VERIFICATION: '1',
      FW_OIDC_PROVIDERS: JSON.stringify([
        { id: 'silent', name: 'Silent', issuer: silent.origin, clientId: 'a', clientSecret: 'b' },
      ]),
      FW_APP_ID: 'mail',
      FW_IDENTITY_HUB_URL: silent.origin,
      A2A_SECRET,
    },
  })
  browser = createBrowser(server.origin)
  await signUp(browser, ada)
})
afterAll(async () => {
  await server.stop()
  await silent.stop()
})

/** Requests that depend on no other server. */
const others = () =>
  Array.from({ length: 100 }, (_, at) => {
    if (at % 4 === 0) return browser.post('/_fw/actions/create-note', { json: { title: `Beside ${at}` } })
    return browser.get(at % 4 === 1 ? '/sign-in' : at % 4 === 2 ? '/_fw/session' : '/_fw/actions/list-notes')
  })

/** Returns the responses of fifty requests that wait for a peer. All other requests must finish while these fifty still wait. */
async function beside(send: () => Promise<Response>): Promise<Response[]> {
  const began = performance.now()
  let ended = 0
  const waiting = Promise.all(Array.from({ length: AT_ONCE }, () => send().finally(() => (ended += 1))))
  await sleep(300)
  expect((await Promise.all(others())).filter(({ status }) => status !== 200)).toEqual([])
  expect(ended).toBe(0)
  const answers = await waiting
  expect(performance.now() - began).toBeLessThan(LIMIT_IN_MS)
  return answers
}

describe('peer that accepts connections and never responds', () => {
  it('as a provider, delays only its own sign-ins, and not for long', async () => {
    const answers = await beside(() =>
      createBrowser(server.origin).post('/_fw/auth/sign-in/social', { json: { provider: 'silent' } }),
    )
    const said = await Promise.all(answers.map(statusAndCode))
    expect(new Set(said.map(String))).toEqual(new Set(['503,unavailable']))
  })

  it('as the identity hub, delays only its own sign-ins, and not for long', async () => {
    const answers = await beside(async () => {
      const visitor = createBrowser(server.origin)
      const start = await visitor.get('/_fw/identity/login?return=/notes')
      const state = new URL(start.headers.get('location') ?? '').searchParams.get('state') ?? ''
      return visitor.get(`/_fw/identity/callback?${new URLSearchParams({ code: 'a'.repeat(43), state })}`)
    })
    expect(new Set(answers.map(({ status, headers }) => `${status} ${headers.get('location')}`))).toEqual(
      new Set(['303 /sign-in?error=provider-unavailable&return=%2Fnotes']),
    )
  })

  it('as the mail server, delays no requests because emails are queued', async () => {
    const ask = (at: number) => {
      const form = { intent: 'magic-link', email: `person${at}@example.test` }
      return createBrowser(server.origin).post('/sign-in', { form })
    }
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, (_, at) => ask(at)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303]))
    expect((await Promise.all(others())).filter(({ status }) => status !== 200)).toEqual([])
  })
})
