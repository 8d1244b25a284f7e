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

describe('the guard before the connection', () => {
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
  ])('asks nobody for %s', async url => {
    await expect(createGuardedFetch()(url, limits)).rejects.toThrow(GuardedFetchError)
  })

  it.each([
    ['a private address', ['127.0.0.1']],
    ['the same in IPv6', ['::1']],
    ['a mapped one', ['::ffff:127.0.0.1']],
    ['a public address and a private one', [PUBLIC, '127.0.0.1']],
    ['the metadata service of a cloud', ['169.254.169.254']],
    ['nothing', []],
  ])('asks nobody when the name means %s', async (_what, addresses) => {
    const guarded = createGuardedFetch({ resolve: async () => addresses })
    await expect(guarded(`https://${HOST}/a`, limits)).rejects.toThrow('not in the public network')
  })

  it('asks nobody inside the network, whatever the port', async () => {
    const anyPort = { ...limits, takesPorts: true }
    const inside = createGuardedFetch({ resolve: async () => ['127.0.0.1'] })
    await expect(inside(`https://${HOST}:8443/a`, anyPort)).rejects.toThrow('not in the public network')
    await expect(createGuardedFetch()('https://127.0.0.1:8443/a', anyPort)).rejects.toThrow('has no name')
  })

  it('tells a name that nobody knows, and names that nobody answers for, from a host that it would not ask', async () => {
    const unknown = createGuardedFetch({ resolve: () => Promise.reject(new Error('ENOTFOUND')) })
    expect(await outageOf(unknown(`https://${HOST}/a`, limits))).toBe('unknown-name')
    const silent = createGuardedFetch({ resolve: () => new Promise(() => {}) })
    expect(await outageOf(silent(`https://${HOST}/a`, { ...limits, limitInMs: 50 }))).toBe('timeout')
    const inside = createGuardedFetch({ resolve: async () => ['127.0.0.1'] })
    expect(await outageOf(inside(`https://${HOST}/a`, limits))).toBeNull()
    expect(await outageOf(createGuardedFetch()('https://localhost/a', limits))).toBeNull()
  })

  it('gives the name no longer than the whole request may take', async () => {
    const guarded = createGuardedFetch({ resolve: () => new Promise(() => {}) })
    const began = performance.now()
    await expect(guarded(`https://${HOST}/a`, { ...limits, limitInMs: 100 })).rejects.toThrow(GuardedFetchError)
    expect(performance.now() - began).toBeLessThan(1000)
  })
})

describe('an answer', () => {
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

  it('is given with its status and headers', async () => {
    const outgoing = countOutgoing()
    const answer = await guarded()(`https://${HOST}/a`, limits)
    outgoing.stop()
    expect(outgoing.connections()).toBe(1)
    expect([answer.status, answer.text, answer.header('etag')]).toEqual([200, `${HOST}:${server.port}`, '"1"'])
  })

  it('comes from the port of the address where ports are taken', async () => {
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

  it('is asked for with POST where something is sent, and its beginning is given whatever its status', async () => {
    const posted = await guarded()(`https://${HOST}/refused`, { ...limits, body: 'a body', readsBeginning: true })
    expect([posted.status, posted.text]).toEqual([422, 'a body'])
    const cut = await guarded()(`https://${HOST}/large`, { ...limits, readsBeginning: true })
    expect(cut.text).toHaveLength(1024)
    expect((await guarded()(`https://${HOST}/refused`, { ...limits, body: 'a body' })).text).toBe('')
  })

  it('may have as many bytes as were allowed and not one more', async () => {
    expect((await guarded()(`https://${HOST}/full`, limits)).text).toHaveLength(1024)
    await expect(guarded()(`https://${HOST}/large`, limits)).rejects.toThrow('too large')
  })

  it('comes from the addresses that were checked, whatever the name means a moment later', async () => {
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

  it('that is a redirect is not followed', async () => {
    const answer = await guarded()(`https://${HOST}/redirect`, limits)
    expect([answer.status, answer.text]).toEqual([302, ''])
    expect(elsewhere.connections()).toBe(0)
  })

  it.each(['/slow', '/silent'])('that does not end is given up in time: %s', async path => {
    const began = performance.now()
    await expect(guarded()(`https://${HOST}${path}`, { ...limits, limitInMs: 300 })).rejects.toThrow('in time')
    expect(performance.now() - began).toBeLessThan(1500)
  })

  it('that never comes is the fault of the way out only where nobody was reached', async () => {
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

  it('of a server with a certificate that nobody vouches for is not taken', async () => {
    await expect(guarded('')(`https://${HOST}/a`, limits)).rejects.toThrow('could not be reached')
  })
})
