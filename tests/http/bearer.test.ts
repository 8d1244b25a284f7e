import { beforeAll, describe, expect, it } from 'vitest'
import { createBrowser, signUp, type TestBrowser } from '../support/http'
import { confirmAddress } from '../support/query'
import { STATIC_TOKEN } from '../support/secrets'
import { useServer } from '../support/use-server'

const person = { email: 'ada@example.test', password: 'zebra quilt 7 lantern', name: 'Ada' }
const server = useServer({ env: { ACCESS_TOKEN: STATIC_TOKEN, FW_OWNER_EMAIL: person.email } })
let browser: TestBrowser

beforeAll(async () => {
  browser = createBrowser(server.origin)
  await signUp(browser, person)
  await confirmAddress(server, person.email)
})

const headers = (authorization: string, cookie?: string): Record<string, string> => ({
  authorization,
  'sec-fetch-site': 'same-origin',
  ...(cookie ? { cookie } : {}),
})

describe('Bearer credential', () => {
  it.each(['Bearer x', `Bearer ${STATIC_TOKEN}`, 'bearer', 'Bearer ', 'BEARER x y'])(
    'does not authenticate, with or without a session cookie: %s',
    async authorization => {
      for (const cookie of [undefined, browser.cookieHeader()]) {
        const session = await fetch(`${server.origin}/_fw/session`, { headers: headers(authorization, cookie) })
        expect([session.status, await session.json()]).toEqual([200, { session: null }])
        for (const [method, path] of [
          ['GET', '/_fw/actions/list-notes'],
          ['POST', '/_fw/actions/create-note'],
          ['GET', '/_fw/org'],
          ['POST', '/_fw/auth/update-user'],
        ] as const) {
          const answer = await fetch(server.origin + path, { method, headers: headers(authorization, cookie) })
          expect([path, answer.status]).toEqual([path, 401])
          await answer.arrayBuffer()
        }
      }
    },
  )

  it('does not sign in at /sign-in and does not appear on the page', async () => {
    for (const path of ['/sign-in', `/sign-in?token=${STATIC_TOKEN}`]) {
      const answer = await fetch(server.origin + path, {
        headers: headers(`Bearer ${STATIC_TOKEN}`),
        redirect: 'manual',
      })
      expect([answer.status, answer.headers.get('set-cookie')]).toEqual([200, null])
      expect(await answer.text()).not.toContain(STATIC_TOKEN)
    }
  })

  it('leaves the session unchanged when a proxy adds Basic credentials', async () => {
    const answer = await fetch(`${server.origin}/_fw/session`, {
      headers: headers('Basic cHJveHk6cHc=', browser.cookieHeader()),
    })
    expect((await answer.json()).session).toMatchObject({ email: person.email })
  })
})
