import { defineEventHandler } from 'h3'
import { beforeEach, describe, expect, it } from 'vitest'
import { knownBrowserCookie } from '#fairway/server/domains/people/known-browser'
import { endSession } from '#fairway/server/domains/sessions'
import { requestMagicLink, requestPasswordReset } from '#fairway/server/domains/sign-in/request-link'
import type { Session } from '#fairway/shared/schemas/session'
import { useTestApp } from '../../../support/use-app'
import { refusalOf } from '../../../support/error-code'
import { addPerson, aMember, signInAs } from '../../../support/members'
import { query } from '../../../support/query'
import { freePort } from '../../../support/server'
import { serveHandlers } from '../../../support/web-handlers'

const HOME = '203.0.113.9'
const test = useTestApp({ SMTP_URL: 'smtp://127.0.0.1:9', EMAIL_FROM: 'no-reply@example.test' })
let owner: Session

beforeEach(async () => {
  owner = await aMember(test.app)
})

const from = (clientAddress: string, cookieHeader?: string) => ({ clientAddress, cookieHeader, userAgent: 'test' })
const strangers = Array.from({ length: 8 }, (_, at) => from(`198.51.100.${at}`))
const askForLink = (request: ReturnType<typeof from>) =>
  refusalOf(requestMagicLink(test.app, { email: owner.email }, request))
const askForReset = (request: ReturnType<typeof from>) =>
  refusalOf(requestPasswordReset(test.app, { email: owner.email }, request))

describe.each([
  [
    'a network where the account is signed in',
    async () => {
      await signInAs(test.app, { ...owner, ipAddress: HOME })
      return from(HOME)
    },
  ],
  [
    'a browser where it was signed in before',
    async () => from('192.0.2.44', knownBrowserCookie(test.app.config, owner.userId).split(';', 1)[0]),
  ],
])('mailed links that %s asks for', (_where, known) => {
  it('stay open and are mailed, however many links strangers ask for', async () => {
    const own = await known()
    expect(await askForLink(own)).toBe('done')
    const asked = []
    for (const stranger of strangers) asked.push(await askForLink(stranger))
    expect(asked).toEqual(['done', 'done', 'done', 'done', 'done', 'rate-limited', 'rate-limited', 'rate-limited'])
    expect(await askForLink(own)).toBe('done')
    const open = await query(test.app, 'select purpose from fw_one_time where expires_at > ? order by rowid', [
      Date.now(),
    ])
    expect(open.map(({ purpose }) => purpose)).toEqual([
      'magic-link-known',
      'magic-link',
      'magic-link',
      'magic-link',
      'magic-link-known',
    ])
  })
})

it('a browser known to another account has no own count', async () => {
  const other = await addPerson(test.app)
  const cookie = knownBrowserCookie(test.app.config, other.id).split(';', 1)[0]
  for (const stranger of strangers.slice(0, 5)) await askForLink(stranger)
  expect(await askForLink(from(HOME, cookie))).toBe('rate-limited')
})

it('links to sign in leave links to set a password their own count', async () => {
  for (const stranger of strangers) await askForLink(stranger)
  expect(await askForReset(from(HOME))).toBe('done')
})

it('signing out leaves the mark of the account in its browser', async () => {
  const cookie = (await signInAs(test.app, owner)).split(';', 1)[0] ?? ''
  const routes = { '/leave': defineEventHandler(event => endSession(event)) }
  const server = await serveHandlers(test.app, { routes }, await freePort())
  const answer = await fetch(`${server.origin}/leave`, { method: 'DELETE', headers: { cookie } })
  await server.stop()
  expect(answer.headers.getSetCookie()).toContain(knownBrowserCookie(test.app.config, owner.userId))
})
