import { beforeAll, describe, expect, it } from 'vitest'
import { statusAndCode } from '../support/error-code'
import { createBrowser, plainRequest, signUp, type TestBrowser } from '../support/http'
import { useServer } from '../support/use-server'

const BYTES = 15_000

const server = useServer()
let browser: TestBrowser

beforeAll(async () => {
  browser = createBrowser(server.origin)
  await signUp(browser, { email: 'ada@example.test', password: 'quiet harbour lantern 42', name: 'Ada' })
})

const send = (path: string, headers: Record<string, string> = {}) => plainRequest(server.origin, { path, headers })
const many = (name: string) =>
  `?${Array(Math.floor(BYTES / (name.length + 1)))
    .fill(name)
    .join('&')}`

/** The median time of so many requests to a public address, in milliseconds. */
async function liveness(times: number): Promise<number> {
  const taken: number[] = []
  for (let at = 0; at < times; at++) {
    const began = performance.now()
    expect((await send('/_fw/health/live')).status).toBe(200)
    taken.push(performance.now() - began)
  }
  return taken.toSorted((a, b) => a - b)[Math.floor(times / 2)] ?? 0
}

describe('Query with too many parameters', () => {
  it.each(['/_fw/actions/list-notes', '/note-list', '/_fw/org/audit', '/_fw/org/members'])(
    'returns 400 at %s to signed-in people and 401 to others',
    async path => {
      const headers = { cookie: browser.cookieHeader() }
      for (const name of ['a', 'a[]', 'a[b][]', 'page=1', '']) {
        const answer = await send(path + many(name), headers)
        expect([name, ...(await statusAndCode(answer))]).toEqual([name, 400, 'too-many-parameters'])
        expect([name, (await send(path + many(name))).status]).toEqual([name, 401])
      }
      const most = `?${Array(200).fill('a').join('&')}`
      expect((await statusAndCode(await send(path + most, headers)))[1]).not.toBe('too-many-parameters')
    },
  )

  it('does not delay other requests', async () => {
    const headers = { cookie: browser.cookieHeader() }
    const idle = await liveness(20)
    const over = new AbortController()
    const ask = async (path: string) => {
      while (!over.signal.aborted) await send(path + many('a[]'), headers)
    }
    const asking = ['/note-list', '/_fw/actions/list-notes'].flatMap(path => [ask(path), ask(path)])
    // The median excludes delays of a busy machine. A server that reads each query for long is never quick.
    const meanwhile = await liveness(20)
    over.abort()
    await Promise.all(asking)
    expect(meanwhile).toBeLessThan(100 + 2 * idle)
  })
})
