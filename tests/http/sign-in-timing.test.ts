import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBrowser, signUp } from '../support/http'
import { startServer, type TestServer } from '../support/server'

const TRIES = 30
const ROUNDS = 3
const MOST_DIFFERENCE = 0.2
let server: TestServer

beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

async function millisecondsOf(email: string): Promise<number> {
  const began = performance.now()
  const answer = await fetch(`${server.origin}/_fw/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password: 'wrong password here' }),
  })
  await answer.arrayBuffer()
  expect(answer.status).toBe(401)
  return performance.now() - began
}

/** How much the medians of interleaved tries differ, as a part of the smaller one. */
async function difference(): Promise<number> {
  const known: number[] = []
  const unknown: number[] = []
  for (let index = 0; index < TRIES; index++) {
    known.push(await millisecondsOf('known@example.test'))
    unknown.push(await millisecondsOf(`unknown${index}@example.test`))
  }
  const [a, b] = [median(known), median(unknown)]
  return Math.abs(a - b) / Math.min(a, b)
}

describe('a wrong password', () => {
  it('takes as long for an address that has an account as for one that has none', async () => {
    await signUp(createBrowser(server.origin), {
      email: 'known@example.test',
      password: 'zebra quilt 7 lantern',
      name: 'Known',
    })
    await difference()
    // A busy machine disturbs a round; a difference that is really there is in all of them.
    const differences: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      differences.push(await difference())
      if (Math.min(...differences) < MOST_DIFFERENCE) break
    }
    expect(Math.min(...differences)).toBeLessThan(MOST_DIFFERENCE)
  }, 120_000)
})
