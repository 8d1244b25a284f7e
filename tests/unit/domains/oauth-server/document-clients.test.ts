import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { authorizationServerMetadata, findDocumentOutage } from '#fairway/server/domains/oauth-server'
import { findClient } from '#fairway/server/domains/oauth-server/authorize/authorize-request'
import { type App, createMemo } from '#fairway/server/kernel/app-context'
import { oauthClients } from '#fairway/server/domains/oauth-server/tables'
import { type GuardedAnswer, type GuardedFetch, GuardedFetchError } from '#fairway/server/kernel/http/guarded-fetch'
import { createTestApp, type TestApp } from '../../../support/app'

const ID = 'https://host.example.com/client.json'
const NETWORK = '203.0.113.7'
const NEIGHBOUR = '203.0.113.8'
const good = {
  client_id: ID,
  client_name: 'Host',
  redirect_uris: ['http://localhost/callback'],
  token_endpoint_auth_method: 'none',
}

interface Answer {
  status?: number
  headers?: Record<string, string>
  body?: unknown
}

const toAnswer = ({ status = 200, headers = {}, body = good }: Answer): GuardedAnswer => {
  const all: Record<string, string> = { 'content-type': 'application/json', ...headers }
  return { status, header: name => all[name], text: typeof body === 'string' ? body : JSON.stringify(body) }
}

describe('client metadata document', () => {
  let test: TestApp
  let now: Date
  let asked: { url: string; headers: Record<string, string> }[]
  let answer: (url: string) => Promise<GuardedAnswer>

  beforeEach(async () => {
    test = await createTestApp()
    now = new Date('2026-11-21T12:00:00Z')
    test.app.now = () => now
    asked = []
    answer = async () => toAnswer({})
    const transport: GuardedFetch = (url, { headers = {} }) => {
      asked.push({ url, headers })
      return answer(url)
    }
    test.app.memo('guarded-fetch', () => transport)
  })
  afterEach(() => test.close())

  const pass = (seconds: number) => void (now = new Date(now.getTime() + seconds * 1000))
  const documentAt = (url: string): Answer => ({ body: { ...good, client_id: url } })

  it('identifies the client by its document and host', async () => {
    expect(await findClient(test.app, ID, NETWORK)).toEqual({
      id: ID,
      name: 'Host',
      source: 'document',
      host: 'host.example.com',
      redirectUris: good.redirect_uris,
      applicationType: 'native',
      renews: false,
      usesDevices: false,
    })
    expect(asked).toEqual([{ url: ID, headers: { accept: 'application/json' } }])
  })

  it('lets a client whose document lists the grant type ask for devices, without a redirect address', async () => {
    const types = ['urn:ietf:params:oauth:grant-type:device_code']
    answer = async url => toAnswer({ body: { client_id: url, client_name: 'Screen', grant_types: types } })
    expect(await findClient(test.app, ID, NETWORK)).toMatchObject({ usesDevices: true, redirectUris: [] })
  })

  it('identifies the client by the host and port of its URL', async () => {
    const id = 'https://host.example.com:8443/client.json'
    answer = async url => toAnswer(documentAt(url))
    expect(await findClient(test.app, id, NETWORK)).toMatchObject({ id, host: 'host.example.com:8443' })
  })

  it('may contain unknown fields and values', async () => {
    const body = {
      ...good,
      grant_types: ['authorization_code', 'urn:ietf:params:oauth:grant-type:jwt-bearer'],
      response_types: ['code', 'token'],
      scope: 'openid mcp:read',
      logo_uri: 'http://10.0.0.1/logo.png',
      jwks_uri: 'https://host.example.com/jwks',
      contacts: [1, null],
      'x-new': {},
    }
    answer = async () => toAnswer({ body, headers: { 'content-type': 'application/vnd.client+json; charset=utf-8' } })
    expect(await findClient(test.app, ID, NETWORK)).toMatchObject({ name: 'Host' })
  })

  it.each<[string, Answer]>([
    ['another client_id', { body: { ...good, client_id: `${ID}/` } }],
    ['no client_id', { body: { ...good, client_id: undefined } }],
    ['no name', { body: { ...good, client_name: undefined } }],
    ['an empty name', { body: { ...good, client_name: ' \u202e ' } }],
    ['no redirect_uris', { body: { ...good, redirect_uris: undefined } }],
    ['an empty list of redirect_uris', { body: { ...good, redirect_uris: [] } }],
    ['21 redirect_uris', { body: { ...good, redirect_uris: Array(21).fill('https://a.example/cb') } }],
    ['a redirect that runs', { body: { ...good, redirect_uris: ['javascript:alert(1)'] } }],
    ['a redirect in clear', { body: { ...good, redirect_uris: ['http://host.example.com/cb'] } }],
    ['a shared secret as its method', { body: { ...good, token_endpoint_auth_method: 'client_secret_post' } }],
    ['a signed assertion as its method', { body: { ...good, token_endpoint_auth_method: 'private_key_jwt' } }],
    ['a secret', { body: { ...good, client_secret: 'x' } }],
    ['a private key', { body: { ...good, jwks: { keys: [{ kty: 'EC', d: 'x' }] } } }],
    ['no code grant', { body: { ...good, grant_types: ['client_credentials'] } }],
    ['no code response', { body: { ...good, response_types: ['token'] } }],
    ['a list', { body: [good] }],
    ['no JSON', { body: '<html>' }],
    ['null', { body: 'null' }],
    ['HTML as its type', { headers: { 'content-type': 'text/html' } }],
    ['no type', { headers: { 'content-type': '' } }],
    ['a redirect elsewhere', { status: 302, headers: { location: 'http://127.0.0.1/' } }],
    ['nothing there', { status: 404 }],
    ['a failure', { status: 500 }],
    ['nothing new although nothing was known', { status: 304 }],
  ])('is rejected for %s', async (_what, given) => {
    answer = async () => toAnswer(given)
    await expect(findClient(test.app, ID, NETWORK)).rejects.toMatchObject({ error: 'invalid_client', status: 400 })
  })

  it('is rejected with the reason when its server cannot be fetched from', async () => {
    answer = () => Promise.reject(new GuardedFetchError('its host is not in the public network'))
    await expect(findClient(test.app, ID, NETWORK)).rejects.toMatchObject({
      error: 'invalid_client',
      description: expect.stringContaining('not in the public network'),
    })
  })

  it.each([
    'http://host.example.com/client.json',
    'https://127.0.0.1/x',
    'https://localhost/x',
    'https://host.example.com/',
    'https://host.example.com/../x',
    'https://host.example.com/x#y',
    'urn:uuid:1',
    'a:b',
    ' https://x.example/y',
  ])('with the client_id %s is neither fetched nor looked up in the table', async id => {
    await test.app.db.orm.insert(oauthClients).values({
      id,
      redirectUris: '["https://a.example/cb"]',
      applicationType: 'web',
      createdAt: now,
    })
    await expect(findClient(test.app, id, NETWORK)).rejects.toMatchObject({ error: 'invalid_client' })
    expect(asked).toEqual([])
  })

  it('is not replaced by a client in the table when it is missing', async () => {
    await test.app.db.orm.insert(oauthClients).values({
      id: ID,
      redirectUris: '["https://a.example/cb"]',
      applicationType: 'web',
      createdAt: now,
    })
    answer = async () => toAnswer({ status: 404 })
    await expect(findClient(test.app, ID, NETWORK)).rejects.toMatchObject({ error: 'invalid_client' })
  })

  it('is fetched once for concurrent requests', async () => {
    const many = await Promise.all(Array.from({ length: 20 }, () => findClient(test.app, ID, NETWORK)))
    expect(new Set(many.map(({ name }) => name))).toEqual(new Set(['Host']))
    expect(asked).toHaveLength(1)
  })

  it.each<[string, Record<string, string>, number, number]>([
    ['five minutes without a word', {}, 299, 301],
    ['as long as it says', { 'cache-control': 'public, max-age=60' }, 59, 61],
    ['less what it has waited already', { 'cache-control': 'max-age=60', age: '50' }, 9, 11],
    ['five minutes at most', { 'cache-control': 'max-age=86400' }, 299, 301],
    ['two seconds when it must not be kept', { 'cache-control': 'no-store' }, 1, 3],
  ])('is cached %s', async (_what, headers, stillKept, over) => {
    answer = async () => toAnswer({ headers })
    await findClient(test.app, ID, NETWORK)
    pass(stillKept)
    await findClient(test.app, ID, NETWORK)
    expect(asked).toHaveLength(1)
    pass(over - stillKept)
    await findClient(test.app, ID, NETWORK)
    expect(asked).toHaveLength(2)
  })

  it('is revalidated with its ETag, and kept when nothing changed', async () => {
    answer = async () => toAnswer({ headers: { etag: '"1"', 'cache-control': 'max-age=10' } })
    await findClient(test.app, ID, NETWORK)
    pass(11)
    answer = async () => toAnswer({ status: 304, headers: { 'cache-control': 'max-age=10' }, body: '' })
    expect(await findClient(test.app, ID, NETWORK)).toMatchObject({ name: 'Host' })
    expect(asked[1]?.headers['if-none-match']).toBe('"1"')
    pass(11)
    expect(await findClient(test.app, ID, NETWORK)).toMatchObject({ name: 'Host' })
    expect(asked[2]?.headers['if-none-match']).toBe('"1"')
  })

  it('is kept for a day while it cannot be fetched, and updated when it can', async () => {
    await findClient(test.app, ID, NETWORK)
    answer = () => Promise.reject(new GuardedFetchError('it could not be reached', { outage: 'unreachable' }))
    for (const seconds of [301, 3600, 82_000]) {
      pass(seconds)
      expect(await findClient(test.app, ID, NETWORK)).toMatchObject({ name: 'Host' })
    }
    expect(asked).toHaveLength(4)
    pass(29)
    await findClient(test.app, ID, NETWORK)
    expect(asked).toHaveLength(4)
    pass(1000)
    await expect(findClient(test.app, ID, NETWORK)).rejects.toMatchObject({ error: 'invalid_client' })
    pass(31)
    answer = async () => toAnswer({ body: { ...good, client_name: 'Other' } })
    expect(await findClient(test.app, ID, NETWORK)).toMatchObject({ name: 'Other' })
  })

  it.each([403, 429, 500, 503])(
    'is kept when its host returns %i, and the error names the setting when none was cached',
    async status => {
      await findClient(test.app, ID, NETWORK)
      pass(301)
      answer = async () => toAnswer({ status })
      expect(await findClient(test.app, ID, NETWORK)).toMatchObject({ name: 'Host' })
      await expect(findClient(test.app, 'https://other.example.com/client.json', NETWORK)).rejects.toMatchObject({
        description: expect.stringMatching(new RegExp(`answered ${status}.*FW_CLIENT_DOCUMENTS=off`)),
      })
      expect(await findDocumentOutage(test.app)).toBeNull()
    },
  )

  it('ends the client when it is missing after an outage', async () => {
    await findClient(test.app, ID, NETWORK)
    answer = () => Promise.reject(new GuardedFetchError('it could not be reached', { outage: 'unreachable' }))
    pass(301)
    await findClient(test.app, ID, NETWORK)
    answer = async () => toAnswer({ status: 404 })
    pass(31)
    await expect(findClient(test.app, ID, NETWORK)).rejects.toMatchObject({ error: 'invalid_client' })
  })

  it('updates the client when it changes, and ends the client when it is missing', async () => {
    await findClient(test.app, ID, NETWORK)
    pass(301)
    answer = async () => toAnswer({ body: { ...good, client_name: 'Other' } })
    expect(await findClient(test.app, ID, NETWORK)).toMatchObject({ name: 'Other' })
    pass(301)
    answer = async () => toAnswer({ status: 404 })
    await expect(findClient(test.app, ID, NETWORK)).rejects.toMatchObject({ error: 'invalid_client' })
  })

  it('is not fetched again within half a minute after a rejection', async () => {
    answer = async () => toAnswer({ status: 404 })
    await expect(findClient(test.app, ID, NETWORK)).rejects.toMatchObject({ error: 'invalid_client' })
    answer = async () => toAnswer({})
    pass(29)
    await expect(findClient(test.app, ID, NETWORK)).rejects.toMatchObject({ error: 'invalid_client' })
    pass(2)
    expect(await findClient(test.app, ID, NETWORK)).toMatchObject({ name: 'Host' })
    expect(asked).toHaveLength(2)
  })

  it('is limited to four concurrent fetches per host and eight in total for each network', async () => {
    const waiting: (() => void)[] = []
    answer = url => new Promise(resolve => waiting.push(() => resolve(toAnswer(documentAt(url)))))
    const ask = (host: string, path: number, network = NETWORK) =>
      outcome(`https://${host}.example.com/${path}`, network)
    const same = Array.from({ length: 6 }, (_, at) => ask('same', at))
    const others = Array.from({ length: 14 }, (_, at) => ask(`other${at}`, 1))
    const neighbours = Array.from({ length: 9 }, (_, at) => ask(at < 5 ? 'same' : `theirs${at}`, at + 100, NEIGHBOUR))
    await new Promise(resolve => setImmediate(resolve))
    for (const go of waiting) go()
    expect((await Promise.all(same)).filter(found => found === 'found')).toHaveLength(4)
    expect((await Promise.all(others)).filter(found => found === 'found')).toHaveLength(4)
    expect((await Promise.all(neighbours)).filter(found => found === 'found')).toHaveLength(8)
  })

  it('is limited to twenty fetches a minute per host and sixty in total for each network', async () => {
    answer = async url => toAnswer(documentAt(url))
    expect(await found(() => 'one', 40)).toBe(20)
    expect(await found(at => `many${at}`, 100)).toBe(40)
    expect(await found(() => 'one', 1, NEIGHBOUR)).toBe(1)
    expect(await found(at => `more${at}`, 10, NEIGHBOUR)).toBe(10)
    pass(60)
    expect(await found(() => 'two', 40)).toBe(20)
  })

  it('is limited to 120 fetches a minute per host for all networks together', async () => {
    answer = async url => toAnswer(documentAt(url))
    let all = 0
    for (let at = 0; at < 10; at++) all += await found(() => 'one', 20, `198.51.100.${at}`)
    expect(all).toBe(120)
    expect(await outcome('https://one.example.com:8443/x', NEIGHBOUR)).toBe('temporarily_unavailable')
  })

  async function found(host: (at: number) => string, times: number, network = NETWORK): Promise<number> {
    let count = 0
    for (let at = 0; at < times; at++)
      if ((await outcome(`https://${host(at)}.example.com/${network}/${at}`, network)) === 'found') count += 1
    return count
  }

  const outcome = (id: string, network: string) =>
    findClient(test.app, id, network).then(
      () => 'found',
      ({ error }) => error,
    )
})

describe('client_id_metadata_document_supported', () => {
  let test: TestApp
  let now: Date
  let failing: GuardedFetchError | null
  let missing: boolean
  let asked: number
  const BASE = 'https://app.example.test'

  async function start(env: Record<string, string> = { FW_BASE_URL: BASE }) {
    test = await createTestApp(env)
    now = new Date('2026-11-21T12:00:00Z')
    test.app.now = () => now
    failing = null
    missing = false
    asked = 0
    const transport: GuardedFetch = async url => {
      asked += 1
      if (failing) throw failing
      return toAnswer(missing ? { status: 404 } : { body: { ...good, client_id: url } })
    }
    test.app.memo('guarded-fetch', () => transport)
  }
  afterEach(() => test.close())

  const pass = (minutes: number) => void (now = new Date(now.getTime() + minutes * 60_000))
  const isAdvertised = async (app: App = test.app) =>
    (await authorizationServerMetadata(app)).client_id_metadata_document_supported
  /** Another instance on the same database. */
  const beside = (): App => ({ ...test.app, memo: createMemo() })
  const present = (id = ID) =>
    findClient(test.app, id, NETWORK).then(
      () => 'found',
      (error: Error) => error.message,
    )
  const outage = (cause: 'unknown-name' | 'unreachable' | 'timeout') =>
    new GuardedFetchError('the name of its host is not known', { outage: cause })

  it.each<[string, string | undefined, boolean]>([
    [BASE, undefined, true],
    [BASE, 'auto', true],
    [BASE, 'on', true],
    [BASE, 'off', false],
    ['http://localhost:3000', undefined, false],
    ['https://localhost:3000', undefined, false],
    ['https://[::1]:3000', 'auto', false],
    ['http://intranet.example:3000', 'auto', false],
    ['http://localhost:3000', 'on', true],
    ['http://localhost:3000', 'off', false],
  ])('at %s with FW_CLIENT_DOCUMENTS %s is %s', async (baseUrl, setting, expected) => {
    await start({ FW_BASE_URL: baseUrl, ...(setting ? { FW_CLIENT_DOCUMENTS: setting } : {}) })
    expect(await isAdvertised()).toBe(expected)
    expect(asked).toBe(0)
  })

  it.each(['unknown-name', 'unreachable', 'timeout'] as const)(
    'is false for an hour at every instance after a document could not be fetched: %s',
    async cause => {
      await start()
      failing = outage(cause)
      const refusal = await present()
      expect(refusal).toMatch(/the name of its host is not known.*FW_CLIENT_DOCUMENTS/)
      expect([await isAdvertised(), await isAdvertised(beside())]).toEqual([false, false])
      expect(await findDocumentOutage(test.app)).toEqual({ cause, failedAt: now.getTime() })
      expect(test.lines()).toContainEqual(
        expect.objectContaining({ level: 'warn', cause, setting: 'FW_CLIENT_DOCUMENTS', host: 'host.example.com' }),
      )
      pass(59)
      expect(await isAdvertised(beside())).toBe(false)
      pass(2)
      expect([await isAdvertised(), await findDocumentOutage(test.app)]).toEqual([true, null])
      expect(asked).toBe(1)
    },
  )

  it('is true again at every instance after the next successful fetch', async () => {
    await start()
    failing = outage('unreachable')
    await present()
    failing = null
    expect(await present('https://other.example.com/client.json')).toBe('found')
    expect([await isAdvertised(), await isAdvertised(beside())]).toEqual([true, true])
  })

  it('is true again after any response, even a 404', async () => {
    await start()
    failing = outage('unreachable')
    await present()
    failing = null
    missing = true
    expect(await present('https://other.example.com/client.json')).toContain('it answered 404')
    expect([await isAdvertised(), await isAdvertised(beside())]).toEqual([true, true])
  })

  it('stays true when the document or its host is at fault', async () => {
    await start()
    failing = new GuardedFetchError('it did not answer in time')
    await present()
    expect([await isAdvertised(), await findDocumentOutage(test.app)]).toEqual([true, null])
  })

  it('stays true when another document was fetched within the last ten minutes', async () => {
    await start()
    await present()
    pass(9)
    failing = outage('unknown-name')
    expect(await present('https://missing.example.com/client.json')).not.toContain('FW_CLIENT_DOCUMENTS')
    expect(await isAdvertised()).toBe(true)
    pass(2)
    await present('https://gone.example.com/client.json')
    expect(await isAdvertised()).toBe(false)
  })

  it('is true with the setting on, even when fetches fail', async () => {
    await start({ FW_BASE_URL: BASE, FW_CLIENT_DOCUMENTS: 'on' })
    failing = outage('timeout')
    await present()
    expect(await isAdvertised()).toBe(true)
  })

  it('does not affect a presented document, which is fetched on plain http too', async () => {
    await start({ FW_BASE_URL: 'http://localhost:3000' })
    expect(await present()).toBe('found')
  })

  it('rejects documents with the setting off, without a fetch or a table lookup', async () => {
    await start({ FW_BASE_URL: BASE, FW_CLIENT_DOCUMENTS: 'off' })
    await test.app.db.orm.insert(oauthClients).values({
      id: ID,
      redirectUris: '["https://a.example/cb"]',
      applicationType: 'web',
      createdAt: now,
    })
    expect(await present()).toMatch(/invalid_client.*FW_CLIENT_DOCUMENTS=off/)
    expect([asked, await findDocumentOutage(test.app)]).toEqual([0, null])
  })
})
