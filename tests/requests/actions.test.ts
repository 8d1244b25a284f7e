import { splitPlace } from '#fairway/server/domains/actions/audit/audit-place'
import { beforeAll, describe, expect, it } from 'vitest'
import { statusAndCode } from '../support/error-code'
import { createBrowser, raw, signUp, type TestBrowser } from '../support/http'
import { query } from '../support/query'
import { useServer } from '../support/use-server'

const server = useServer()
let ada: TestBrowser

const password = 'quiet harbour lantern 42'
const url = (name: string) => `/_fw/actions/${name}`

beforeAll(async () => {
  ada = createBrowser(server.origin)
  await signUp(ada, { email: 'ada@example.test', password, name: 'Ada' })
})

const auditRows = (where: string) => query(server, `select * from audit_log where ${where} order by id`)

const countNotes = async () => (await (await ada.post(url('list-notes'), { json: {} })).json()).result.totalItems

describe('/_fw/actions/{name}', () => {
  it('returns the result as JSON with cache-control no-store', async () => {
    const answer = await ada.post(url('create-note'), { json: { title: '  Plan ' } })
    const body = await answer.json()
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    expect(body.result.note).toMatchObject({ title: 'Plan', text: '', pinned: false, archived: false })
    expect(Object.keys(body)).toEqual(['result'])
  })

  it('runs a read-only action by GET with typed query values and returns only headers for HEAD', async () => {
    const answer = await ada.get(`${url('list-notes')}?archived=true&page=1&itemsPerPage=5`)
    expect((await answer.json()).result).toEqual({ notes: [], totalItems: 0 })
    const head = await ada.request(url('list-notes'), { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  it.each([
    ['page=x', 'page'],
    ['page=1&page=2', 'page'],
    ['page=-1', 'page'],
    ['itemsPerPage=101', 'itemsPerPage'],
    ['archived=maybe', 'archived'],
    ['page=1.5', 'page'],
    ['page=', 'page'],
  ])('returns 400 for the query %s and names the field', async (query, path) => {
    const answer = await ada.get(`${url('list-notes')}?${query}`)
    const body = await answer.json()
    expect([answer.status, body.code, body.errors[0].path]).toEqual([400, 'invalid-input', path])
  })

  it('ignores __proto__ and unknown names in query and body', async () => {
    expect((await ada.get(`${url('list-notes')}?__proto__=x&constructor=y&unknown=z`)).status).toBe(200)
    const body = '{"title":"Safe","__proto__":{"archived":true},"ownerEmail":"eve@example.test","orgId":"x"}'
    const answer = await ada.request(url('create-note'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      form: undefined,
      json: JSON.parse(body),
    })
    expect(answer.status).toBe(200)
    expect((await answer.json()).result.note).toMatchObject({ title: 'Safe', archived: false })
  })

  it('returns 404 for inherited names, unknown names and other letter case', async () => {
    for (const name of ['nothing', '__proto__', 'constructor', 'toString', 'Create-Note', 'create-note%2f', '%zz']) {
      const answer = await ada.post(url(name), { json: {} })
      expect([name, ...(await statusAndCode(answer))]).toEqual([name, 404, 'unknown-action'])
    }
    expect(await statusAndCode(await ada.post(`${url('create-note')}/more`, { json: {} }))).toEqual([404, 'not-found'])
  })

  it('returns 405 with Allow for a wrong method, and Allow for OPTIONS', async () => {
    const answer = await ada.get(url('create-note'))
    expect([answer.headers.get('allow'), ...(await statusAndCode(answer))]).toEqual(['POST', 405, 'method-not-allowed'])
    const put = await ada.request(url('list-notes'), { method: 'PUT', json: {} })
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
    const options = await ada.request(url('list-notes'), { method: 'OPTIONS' })
    expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, POST'])
    expect(options.headers.get('access-control-allow-origin')).toBeNull()
  })
})

describe('Request body of an action', () => {
  const send = (body: string | Uint8Array<ArrayBuffer>, contentType?: string) =>
    fetch(server.origin + url('create-note'), {
      method: 'POST',
      headers: {
        cookie: ada.cookieHeader(),
        'sec-fetch-site': 'same-origin',
        ...(contentType ? { 'content-type': contentType } : {}),
      },
      body,
    })

  it.each([
    ['{"title":', 400, 'malformed-json'],
    ['', 400, 'invalid-input'],
    ['null', 400, 'invalid-input'],
    ['[]', 400, 'invalid-input'],
    ['"text"', 400, 'invalid-input'],
    ['{"title":1}', 400, 'invalid-input'],
    ['{"title":""}', 400, 'invalid-input'],
    ['{"title":"a","title":"b","text":5}', 400, 'invalid-input'],
    [`{"title":"${'a'.repeat(201)}"}`, 400, 'invalid-input'],
    [`{"title":${'['.repeat(100_000)}`, 400, 'malformed-json'],
    [`{"title":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 400, 'invalid-input'],
  ])('returns the matching error code and stores nothing for %j', async (body, status, code) => {
    const before = await countNotes()
    expect(await statusAndCode(await send(body, 'application/json'))).toEqual([status, code])
    expect(await countNotes()).toBe(before)
  })

  it('returns 400 when it is not UTF-8', async () => {
    const bytes = new Uint8Array([
      ...new TextEncoder().encode('{"title":"'),
      0xff,
      0xfe,
      ...new TextEncoder().encode('"}'),
    ])
    expect(await statusAndCode(await send(bytes, 'application/json'))).toEqual([400, 'malformed-json'])
  })

  it.each([
    undefined,
    'text/plain',
    'text/plain;application/json',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'multipart/form-data',
  ])('returns 415 for the media type %s', async type => {
    expect(await statusAndCode(await send(new TextEncoder().encode('{"title":"x"}'), type))).toEqual([
      415,
      'unsupported-media-type',
    ])
  })

  it.each(['application/json', 'Application/JSON; charset=utf-8'])('accepts the media type %s', async type => {
    expect((await send('{"title":"typed"}', type)).status).toBe(200)
  })

  it.each([
    ['NUL', 'kept before\u0000and after'],
    ['half of a surrogate pair', 'before\ud83d'],
  ])('returns 400 for a text with %s, names its field and stores nothing', async (_what, title) => {
    const before = await countNotes()
    const answer = await ada.post(url('create-note'), { json: { title } })
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { code: 'invalid-input', errors: [{ path: 'title', code: 'broken-text' }] },
    ])
    const search = await ada.get(`${url('search-notes')}?query=a%00b`)
    expect((await search.json()).errors).toMatchObject([{ path: 'query', code: 'broken-text' }])
    expect(await countNotes()).toBe(before)
  })

  it('names each invalid field without repeating its value', async () => {
    const answer = await send('{"title":5,"text":"swordfish","pinned":"hunter2"}', 'application/json')
    const text = await answer.text()
    expect(JSON.parse(text).errors.map((fault: { path: string }) => fault.path)).toEqual(['title', 'pinned'])
    expect(text).not.toMatch(/swordfish|hunter2/)
  })

  it('returns a readable 413 above one mebibyte, with declared or chunked length', async () => {
    const large = `{"title":"x","text":"${'a'.repeat(1024 * 1024)}"}`
    expect(await statusAndCode(await send(large, 'application/json'))).toEqual([413, 'payload-too-large'])
    const stream = new ReadableStream({
      start(controller) {
        for (let index = 0; index < 40; index++) controller.enqueue(new TextEncoder().encode('a'.repeat(64 * 1024)))
        controller.close()
      },
    })
    const init = {
      method: 'POST',
      headers: { cookie: ada.cookieHeader(), 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' },
      body: stream,
      duplex: 'half',
    }
    expect(await statusAndCode(await fetch(server.origin + url('create-note'), init))).toEqual([
      413,
      'payload-too-large',
    ])
  })

  it('returns 413 immediately when the request declares two gigabytes', async () => {
    const answer = await raw(
      server.origin,
      `POST ${url('create-note')} HTTP/1.1\r\nHost: localhost\r\nCookie: ${ada.cookieHeader()}\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/json\r\nContent-Length: 2147483648\r\n\r\n{`,
      1500,
    )
    expect(answer).toMatch(/^HTTP\/1\.1 413 /)
  })

  it('returns 413 for an endless body without blocking other requests', async () => {
    const chunk = `10000\r\n${'a'.repeat(0x10000)}\r\n`
    const endless = raw(
      server.origin,
      `POST ${url('create-note')} HTTP/1.1\r\nHost: localhost\r\nCookie: ${ada.cookieHeader()}\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(200)}`,
      3000,
    )
    expect((await ada.get('/_fw/session')).status).toBe(200)
    expect(await endless).toMatch(/^HTTP\/1\.1 413 /)
  })
})

describe('Action authentication', () => {
  it('returns 401 without a session and stores no note and no audit row', async () => {
    const before = await countNotes()
    expect(
      await statusAndCode(await createBrowser(server.origin).post(url('create-note'), { json: { title: 'x' } })),
    ).toEqual([401, 'unauthenticated'])
    expect(await statusAndCode(await createBrowser(server.origin).get(url('list-notes')))).toEqual([
      401,
      'unauthenticated',
    ])
    expect(await countNotes()).toBe(before)
    expect(await auditRows('user_id is null')).toEqual([])
  })

  it('returns 401 for a bearer credential', async () => {
    const headers = { authorization: 'Bearer abc' }
    expect(
      await statusAndCode(await createBrowser(server.origin).post(url('list-notes'), { json: {}, headers })),
    ).toEqual([401, 'unauthenticated'])
  })
})

describe('Action audit log', () => {
  it('stores a row without texts for each write and no row for reads', async () => {
    const bob = createBrowser(server.origin)
    await signUp(bob, { email: 'bob@example.test', password, name: 'Bob' })
    await bob.post(url('create-note'), { json: { title: 'Kept', text: 'x'.repeat(500) } })
    await bob.post(url('create-note'), { json: { title: '' } })
    await bob.get(url('list-notes'))
    const rows = await auditRows(`user_email = 'bob@example.test'`)
    expect(rows.map(row => [row.action, row.outcome, row.error_code])).toEqual([
      ['create-note', 'ok', null],
      ['create-note', 'failed', 'invalid-input'],
    ])
    expect(JSON.parse(splitPlace(String(rows[0]?.input)).input ?? '')).toEqual({ title: '[text]', text: '[text]' })
  })
})

describe('Note actions', () => {
  it('hides notes from other accounts, and search matches wildcards literally', async () => {
    const eve = createBrowser(server.origin)
    await signUp(eve, { email: 'eve@example.test', password, name: 'Eve' })
    const { result } = await (await ada.post(url('create-note'), { json: { title: 'Of Ada 100% _ \\' } })).json()
    const { id } = result.note
    for (const [name, json] of [
      ['update-note', { id, title: 'x' }],
      ['archive-note', { id }],
      ['delete-note', { id }],
    ] as const) {
      expect([name, ...(await statusAndCode(await eve.post(url(name), { json })))]).toEqual([name, 404, 'not-found'])
    }
    const found = async (who: TestBrowser, query: string) =>
      (await (await who.get(`${url('search-notes')}?query=${encodeURIComponent(query)}`)).json()).result.notes.length
    expect(await found(eve, 'Ada')).toBe(0)
    expect(await found(ada, 'of ada')).toBe(1)
    expect(await found(ada, '100%')).toBe(1)
    expect(await found(ada, '% _ \\')).toBe(1)
    expect(await found(ada, 'O_ Ada')).toBe(0)
    expect((await (await eve.get(url('list-notes'))).json()).result.totalItems).toBe(0)
  })

  it('lets the owner update, list, archive and delete a note', async () => {
    const created = (await (await ada.post(url('create-note'), { json: { title: 'One', text: 'body' } })).json()).result
      .note
    const updated = (await (await ada.post(url('update-note'), { json: { id: created.id, pinned: true } })).json())
      .result.note
    expect(updated).toMatchObject({ title: 'One', text: 'body', pinned: true })
    const listed = (await (await ada.get(`${url('list-notes')}?itemsPerPage=1`)).json()).result
    expect(listed.notes[0].id).toBe(created.id)
    const beyond = (await (await ada.get(`${url('list-notes')}?page=1000`)).json()).result
    expect([beyond.notes, beyond.totalItems]).toEqual([[], listed.totalItems])
    expect(listed.totalItems).toBeGreaterThan(1)
    const archived = (await (await ada.post(url('archive-note'), { json: { id: created.id } })).json()).result.note
    expect(archived.archived).toBe(true)
    const back = (await (await ada.post(url('archive-note'), { json: { id: created.id, archived: false } })).json())
      .result.note
    expect(back.archived).toBe(false)
    expect((await ada.post(url('delete-note'), { json: { id: created.id } })).status).toBe(200)
    expect(await statusAndCode(await ada.post(url('delete-note'), { json: { id: created.id } }))).toEqual([
      404,
      'not-found',
    ])
  })
})
