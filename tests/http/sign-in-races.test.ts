import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Sqld, startSqld } from '../support/database-sqld'
import { startSlowLink } from '../support/database-slow'
import { createBrowser, sessionOf, signUp, type TestBrowser } from '../support/http'
import { startSmtp } from '../support/mail'
import { startServer, type TestServer } from '../support/server'
import type { WebServer } from '../support/web-server'

const PEOPLE = 10
const ROUNDS = 5
const AGENT = 'test'
let database: Sqld
let link: WebServer
let smtp: Awaited<ReturnType<typeof startSmtp>>
let servers: TestServer[]

// Two processes with one public address and a slow database.
beforeAll(async () => {
  ;[database, smtp] = await Promise.all([startSqld(), startSmtp()])
  const env = { SMTP_URL: smtp.url, EMAIL_FROM: 'no-reply@example.test' }
  const one = await startServer({ database: database.url, env })
  link = await startSlowLink(database.url)
  const two = await startServer({ database: link.origin, env: { ...env, FW_BASE_URL: one.origin } })
  const three = await startServer({ database: link.origin, env: { ...env, FW_BASE_URL: one.origin } })
  servers = [one, two, three]
}, 60_000)
afterAll(async () => {
  await Promise.all(servers.map(server => server.stop()))
  await Promise.all([link.stop(), database.stop(), smtp.stop()])
})

const at = (index: number): TestBrowser => createBrowser(servers[index]?.origin ?? '')
const origin = () => servers[0]?.origin ?? ''
const post = (browser: TestBrowser, path: string, json: object) =>
  browser.request(path, { method: 'POST', json, headers: { origin: origin(), 'user-agent': AGENT } })

const resetsMailed = (email: string): number =>
  smtp.received.filter(({ to, data }) => to.includes(email) && /^Subject: Set a new password/m.test(data)).length

describe('sign-in during a password reset', () => {
  it('leaves no session of the old password in 50 attempts at two processes', async () => {
    const survivors: string[] = []
    let reset = 0
    const passwordOf = (round: number) => `zebra quilt ${round} lantern`
    const run = async (person: number) => {
      const email = `person${person}@example.test`
      await signUp(at(0), { email, password: passwordOf(0), name: 'Person' })
      for (let round = 0; round < ROUNDS; round++) {
        await post(at(0), '/_fw/auth/request-password-reset', { email })
        await expect.poll(() => resetsMailed(email), { timeout: 20_000 }).toBe(round + 1)
        const token = new URL((await smtp.mailTo(email, /new password/)).link).searchParams.get('token')
        const signingIn = at(1)
        const [signIn, done] = await Promise.all([
          sleep(Math.random() * 120).then(() =>
            post(signingIn, '/_fw/auth/sign-in/email', { email, password: passwordOf(round) }),
          ),
          post(at(2), '/_fw/auth/reset-password', { token, newPassword: passwordOf(round + 1) }),
        ])
        if (done.status === 200) reset++
        if (signIn.status >= 500 || done.status >= 500) survivors.push(`${signIn.status} ${done.status}`)
        if ((await sessionOf(signingIn)) !== null) survivors.push(email)
      }
    }
    await Promise.all(Array.from({ length: PEOPLE }, (_, person) => run(person)))
    expect({ survivors, reset }).toEqual({ survivors: [], reset: PEOPLE * ROUNDS })
  }, 120_000)
})
