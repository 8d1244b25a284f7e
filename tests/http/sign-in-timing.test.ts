import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBrowser, signUp } from '../support/http'
import { startSmtp } from '../support/mail'
import { borrowServer, type TestServer } from '../support/server'

const TRIES = 15
const MOST_TRIES = 150
const WARM_UPS = 4
const MOST_DIFFERENCE = 0.2
const PASSWORD = 'zebra quilt 7 lantern'
let smtp: Awaited<ReturnType<typeof startSmtp>>
let server: TestServer

beforeAll(async () => {
  smtp = await startSmtp()
  server = await borrowServer({
    env: {
      NODE_ENV: 'production',
      AUTH_SKIP_EMAIL_VERIFICATION: '1',
      SMTP_URL: smtp.url,
      EMAIL_FROM: 'no-reply@example.test',
    },
  })
  await signUp(createBrowser(server.origin), { email: 'known@example.test', password: PASSWORD, name: 'Known' })
})
afterAll(async () => {
  await server.stop()
  await smtp.stop()
})

/** The 10th percentile of the times. It contains the cost of a response and excludes the delays of a busy machine. */
const fast = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 10)] ?? 0

async function millisecondsOf(path: string, body: Record<string, string>, status: number): Promise<number> {
  const began = performance.now()
  const answer = await fetch(`${server.origin}/_fw/auth/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  await answer.arrayBuffer()
  expect(answer.status).toBe(status)
  return performance.now() - began
}

/** The difference between the fast tries of both series, as a fraction of the smaller one. */
function difference(known: number[], unknown: number[]): number {
  const [a, b] = [fast(known), fast(unknown)]
  return Math.abs(a - b) / Math.min(a, b)
}

describe('response time for an address', () => {
  it.each([
    ['a wrong password', 'sign-in/email', { password: 'wrong password here' }, 401],
    ['a link to sign in', 'sign-in/magic-link', {}, 200],
    ['a link for a new password', 'request-password-reset', {}, 200],
  ])(
    'is the same with and without an account for %s',
    async (_what, path, more, status) => {
      const known: number[] = []
      const unknown: number[] = []
      const tryKnown = () => millisecondsOf(path, { ...more, email: 'known@example.test' }, status)
      const tryUnknown = (index: number) =>
        millisecondsOf(path, { ...more, email: `unknown${index}@example.test` }, status)
      for (let index = -WARM_UPS; index < MOST_TRIES; index++) {
        // Work that a response leaves behind disturbs the next request, so the order alternates.
        const isKnownFirst = index % 2 === 0
        const first = await (isKnownFirst ? tryKnown() : tryUnknown(index))
        const second = await (isKnownFirst ? tryUnknown(index) : tryKnown())
        if (index < 0) continue
        known.push(isKnownFirst ? first : second)
        unknown.push(isKnownFirst ? second : first)
        // More tries make the result more exact. None is left out, so they can't hide a difference.
        if (known.length % TRIES === 0 && difference(known, unknown) < MOST_DIFFERENCE) break
      }
      expect(difference(known, unknown)).toBeLessThan(MOST_DIFFERENCE)
    },
    240_000,
  )
})
