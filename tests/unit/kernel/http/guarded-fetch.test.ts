import { pipeline } from 'node:stream/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createGuardedFetch, GuardedFetchError } from '#fairway/server/kernel/http/guarded-fetch'
import { countOutgoing, startListener, startTlsServer, type TlsServer } from '../../../support/web-server'

const HOST = 'host.example.com'
const PUBLIC = '93.184.216.34'
const limits = { maxBytes: 1024, limitInMs: 2000 }

/** The `outage` of a refusal. */
const outageOf = (work: Promise<unknown>) =>
  work.then(
    () => 'no refusal',
    (error: unknown) => (error instanceof GuardedFetchError ? error.outage : error),
  )

describe('createGuardedFetch before connecting', () => {
  let https: Awaited<ReturnType<typeof startListener>>
  let outgoing: ReturnType<typeof countOutgoing>

  // Requests only ever go to port 443, so the listener uses that port.
  beforeAll(async () => {
    https = await startListener(443)
  })
  afterAll(() => https.stop())
  beforeEach(() => {
    outgoing = countOutgoing()
  })
  afterEach(() => {
    outgoing.stop()
    expect([https.connections(), outgoing.connections()]).toEqual([0, 0])
  })

  it.each([
    'http://host.example.com/a',
    'ftp://host.example.com/a',
    'https://host.example.com:8443/a',
    'no address',
    'https://127.0.0.1/a',
    'https://[::1]/a',
    'https://[::ffff:127.0.0.1]/a',
    'https://2130706433/a',
    'https://0x7f000001/a',
    'https://0177.0.0.1/a',
    'https://127.1/a',
    'https://0/a',
    'https://169.254.169.254/a',
    'https://localhost/a',
    'https://localhost./a',
    'https://LOCALHOST/a',
  ])('refuses %s without a connection', async url => {
    await expect(createGuardedFetch()(url, limits)).rejects.toThrow(GuardedFetchError)
  })

  it.each([
    ['a private address', ['127.0.0.1']],
    ['the same in IPv6', ['::1']],
    ['a mapped one', ['::ffff:127.0.0.1']],
    ['a public address and a private one', [PUBLIC, '127.0.0.1']],
    ['the metadata service of a cloud', ['169.254.169.254']],
    ['nothing', []],
  ])('refuses a name that resolves to %s without a connection', async (_what, addresses) => {
    const guarded = createGuardedFetch({ resolve: async () => addresses })
    await expect(guarded(`https://${HOST}/a`, limits)).rejects.toThrow('not in the public network')
  })

  it('refuses internal addresses on any port', async () => {
    const anyPort = { ...limits, takesPorts: true }
    const inside = createGuardedFetch({ resolve: async () => ['127.0.0.1'] })
    await expect(inside(`https://${HOST}:8443/a`, anyPort)).rejects.toThrow('not in the public network')
    await expect(createGuardedFetch()('https://127.0.0.1:8443/a', anyPort)).rejects.toThrow('has no name')
  })

  it('distinguishes unknown names and unanswered lookups from refused hosts', async () => {
    const unknown = createGuardedFetch({ resolve: () => Promise.reject(new Error('ENOTFOUND')) })
    expect(await outageOf(unknown(`https://${HOST}/a`, limits))).toBe('unknown-name')
    const silent = createGuardedFetch({ resolve: () => new Promise(() => {}) })
    expect(await outageOf(silent(`https://${HOST}/a`, { ...limits, limitInMs: 50 }))).toBe('timeout')
    const inside = createGuardedFetch({ resolve: async () => ['127.0.0.1'] })
    expect(await outageOf(inside(`https://${HOST}/a`, limits))).toBeNull()
    expect(await outageOf(createGuardedFetch()('https://localhost/a', limits))).toBeNull()
  })

  it('limits name resolution to the time limit of the request', async () => {
    const guarded = createGuardedFetch({ resolve: () => new Promise(() => {}) })
    const began = performance.now()
    await expect(guarded(`https://${HOST}/a`, { ...limits, limitInMs: 100 })).rejects.toThrow(GuardedFetchError)
    expect(performance.now() - began).toBeLessThan(1000)
  })
})

describe('createGuardedFetch', () => {
  let server: TlsServer
  let elsewhere: Awaited<ReturnType<typeof startListener>>

  beforeAll(async () => {
    elsewhere = await startListener()
    server = await startTlsServer(HOST, (request, response) => {
      if (request.url === '/redirect') {
        response.writeHead(302, { location: `http://127.0.0.1:${elsewhere.port}/` }).end()
      } else if (request.url === '/large') response.end('x'.repeat(1025))
      else if (request.url === '/full') response.end('x'.repeat(1024))
      else if (request.url === '/refused') void pipeline(request, response.writeHead(422)).catch(() => {})
      else if (request.url === '/slow') response.write('x')
      else if (request.url !== '/silent') response.setHeader('etag', '"1"').end(request.headers.host)
    })
  })
  afterAll(async () => {
    await server.stop()
    await elsewhere.stop()
  })

  /** The name resolves to a public address, but connections go to our own server. */
  const guarded = (ca = server.certificate) =>
    createGuardedFetch({
      resolve: async () => [PUBLIC],
      connectTo: () => ({
        ca,
        port: server.port,
        lookup: (_hostname, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
      }),
    })

  it('returns the status, text and headers of a response', async () => {
    const outgoing = countOutgoing()
    const answer = await guarded()(`https://${HOST}/a`, limits)
    outgoing.stop()
    expect(outgoing.connections()).toBe(1)
    expect([answer.status, answer.text, answer.header('etag')]).toEqual([200, `${HOST}:${server.port}`, '"1"'])
  })

  it('connects to the port of the address when ports are allowed', async () => {
    const toAddress = createGuardedFetch({
      resolve: async () => [PUBLIC],
      connectTo: () => ({
        ca: server.certificate,
        lookup: (_hostname, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]),
      }),
    })
    const answer = await toAddress(`https://${HOST}:${server.port}/a`, { ...limits, takesPorts: true })
    expect([answer.status, answer.text]).toEqual([200, `${HOST}:${server.port}`])
  })

  it('sends a body with POST and can return the beginning of a response with any status', async () => {
    const posted = await guarded()(`https://${HOST}/refused`, { ...limits, body: 'a body', readsBeginning: true })
    expect([posted.status, posted.text]).toEqual([422, 'a body'])
    const cut = await guarded()(`https://${HOST}/large`, { ...limits, readsBeginning: true })
    expect(cut.text).toHaveLength(1024)
    expect((await guarded()(`https://${HOST}/refused`, { ...limits, body: 'a body' })).text).toBe('')
  })

  it('accepts as many bytes as allowed and refuses one more', async () => {
    expect((await guarded()(`https://${HOST}/full`, limits)).text).toHaveLength(1024)
    await expect(guarded()(`https://${HOST}/large`, limits)).rejects.toThrow('too large')
  })

  it('connects only to the addresses that it checked, even if the name changes', async () => {
    const seen: string[][] = []
    const answers = [[PUBLIC], ['127.0.0.1']]
    const guarded = createGuardedFetch({
      resolve: async () => answers.shift() ?? [],
      connectTo: addresses => {
        seen.push([...addresses])
        return { lookup: (_hostname, _options, done) => done(new Error('not in this test'), []) }
      },
    })
    await expect(guarded(`https://${HOST}/a`, limits)).rejects.toThrow('could not be reached')
    expect(seen).toEqual([[PUBLIC]])
  })

  it('does not follow a redirect', async () => {
    const answer = await guarded()(`https://${HOST}/redirect`, limits)
    expect([answer.status, answer.text]).toEqual([302, ''])
    expect(elsewhere.connections()).toBe(0)
  })

  it.each(['/slow', '/silent'])('gives up on an unfinished response in time: %s', async path => {
    const began = performance.now()
    await expect(guarded()(`https://${HOST}${path}`, { ...limits, limitInMs: 300 })).rejects.toThrow('in time')
    expect(performance.now() - began).toBeLessThan(1500)
  })

  it('reports an outage only when no server was reached', async () => {
    const via = (port: number, isResolved = true) =>
      createGuardedFetch({
        resolve: async () => [PUBLIC],
        connectTo: () => ({
          ca: server.certificate,
          port,
          lookup: (_hostname, _options, done) => {
            if (isResolved) done(null, [{ address: '127.0.0.1', family: 4 }])
          },
        }),
      })
    const closed = await startListener()
    await closed.stop()
    const ask = (guarded: ReturnType<typeof createGuardedFetch>, path: string) =>
      outageOf(guarded(`https://${HOST}${path}`, { ...limits, limitInMs: 300 }))
    expect(await ask(via(closed.port), '/a')).toBe('unreachable')
    expect(await ask(via(server.port, false), '/a')).toBe('timeout')
    for (const path of ['/slow', '/silent', '/large'])
      expect([path, await ask(via(server.port), path)]).toEqual([path, null])
    expect(await outageOf(guarded('')(`https://${HOST}/a`, limits))).toBeNull()
  })

  it('refuses a server with an untrusted certificate', async () => {
    await expect(guarded('')(`https://${HOST}/a`, limits)).rejects.toThrow('could not be reached')
  })
})
