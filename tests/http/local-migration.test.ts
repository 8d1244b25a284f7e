import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { statusAndCode } from '../support/error-code'
import { createBrowser, signUp, type TestBrowser } from '../support/http'
import { query } from '../support/query'
import { borrowServer, databaseOf, startServer, type TestServer } from '../support/server'
import { useServer } from '../support/use-server'

const PATH = '/_fw/local-migration'
const PASSWORD = 'quiet harbour lantern 42'
const development = { NODE_ENV: 'development' }

async function devBrowser(server: TestServer): Promise<TestBrowser> {
  const browser = createBrowser(server.origin)
  const page = await browser.get('/sign-in')
  if (page.status === 200) await browser.post('/sign-in', { form: { intent: 'dev' } })
  return browser
}

async function realBrowser(server: TestServer, email = 'ada@example.test'): Promise<TestBrowser> {
  const browser = createBrowser(server.origin)
  await signUp(browser, { email, password: PASSWORD, name: 'Ada' })
  return browser
}

/** Waits until the server holds the write lock of its database for longer than a moment. */
async function waitForLock(server: TestServer): Promise<void> {
  for (;;) {
    const isFree = await query(server, 'delete from zz_many where n < 0', [], 300).then(
      () => true,
      () => false,
    )
    if (!isFree) return
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

const createNote = (browser: TestBrowser, title: string) =>
  browser.post('/_fw/actions/create-note', { json: { title } })
const titles = async (browser: TestBrowser): Promise<string[]> => {
  const { result } = await (await browser.get('/_fw/actions/list-notes')).json()
  return result.notes.map((note: { title: string }) => note.title).toSorted()
}

describe('/_fw/local-migration', () => {
  const server = useServer({ env: development })

  it('returns 401 without a session and 403 for the development account', async () => {
    const nobody = createBrowser(server.origin)
    expect(await statusAndCode(await nobody.get(PATH))).toEqual([401, 'unauthenticated'])
    expect(await statusAndCode(await nobody.post(PATH))).toEqual([401, 'unauthenticated'])
    const bearer = { headers: { authorization: 'Bearer abc' } }
    expect(await statusAndCode(await nobody.post(PATH, bearer))).toEqual([401, 'unauthenticated'])
    const dev = await devBrowser(server)
    await createNote(dev, 'Plan')
    await createNote(dev, 'Draft')
    expect(await statusAndCode(await dev.get(PATH))).toEqual([403, 'not-a-real-account'])
    expect(await statusAndCode(await dev.post(PATH))).toEqual([403, 'not-a-real-account'])
  })

  it('previews the rows, moves them and moves none the second time', async () => {
    const ada = await realBrowser(server)
    expect(await titles(ada)).toEqual([])
    expect(await statusAndCode(await ada.post(PATH, { headers: { authorization: 'Bearer abc' } }))).toEqual([
      401,
      'unauthenticated',
    ])
    const before = await ada.get(PATH)
    expect(before.headers.get('cache-control')).toBe('no-store')
    expect(await before.json()).toMatchObject({ available: true, tables: { notes: 2 } })
    const moved = await ada.post(PATH)
    expect(moved.status).toBe(200)
    expect(await moved.json()).toEqual({
      moved: { application_state: 0, notes: 2, oauth_tokens: 0, user_settings: 0 },
      kept: { application_state: 0, notes: 0, oauth_tokens: 0, user_settings: 0 },
      targetEmail: 'ada@example.test',
      hook: { state: 'none' },
    })
    expect(await titles(ada)).toEqual(['Draft', 'Plan'])
    expect(await titles(await devBrowser(server))).toEqual([])
    const again = await (await ada.post(PATH)).json()
    expect(Object.values({ ...again.moved, ...again.kept }).every(count => count === 0)).toBe(true)
    expect(await (await ada.get(PATH)).json()).toMatchObject({ available: false })
  })

  it('moves rows of the identity of older applications, whose session is not accepted', async () => {
    const cyd = await realBrowser(server, 'cyd@example.test')
    await query(
      server,
      `insert into notes (id, owner_email, title, created_at, updated_at) values ('old', 'local@localhost', 'From before', 0, 0)`,
    )
    expect((await (await cyd.post(PATH)).json()).moved).toMatchObject({ notes: 1 })
    expect(await titles(cyd)).toEqual(['From before'])
    await query(server, `update users set email = 'local@localhost' where email = 'cyd@example.test'`)
    expect(await (await cyd.get('/_fw/session')).json()).toEqual({ session: null })
  })

  it('is announced by a meta tag in pages', async () => {
    expect(await (await fetch(`${server.origin}/notes`)).text()).toContain('<meta name="fairway-local-data"')
  })
})

describe('/_fw/local-migration with concurrent requests', () => {
  it('moves the rows once for five requests at two servers', async () => {
    const first = await borrowServer({ env: development })
    const env = { ...development, BETTER_AUTH_SECRET: first.secret, FW_BASE_URL: first.origin }
    const second = await startServer({ database: databaseOf(first), env })
    const dev = await devBrowser(first)
    for (const title of ['A', 'B', 'C']) await createNote(dev, title)
    const ada = await realBrowser(first)
    const headers = { cookie: ada.cookieHeader(), origin: first.origin, 'sec-fetch-site': 'same-origin' }
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        fetch((index % 2 ? first : second).origin + PATH, { method: 'POST', headers }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    const moves = await Promise.all(answers.map(answer => answer.json()))
    expect(moves.map(({ moved }) => moved.notes).toSorted()).toEqual([0, 0, 0, 0, 3])
    expect(await titles(ada)).toEqual(['A', 'B', 'C'])
    await Promise.all([first.stop(), second.stop()])
  })
})

describe('/_fw/local-migration when the server is killed', () => {
  it('moves either all rows or none', async () => {
    const server = await startServer({ env: development })
    await createNote(await devBrowser(server), 'Plan')
    const ada = await realBrowser(server)
    // Updating the last table takes long enough to kill the server in between.
    for (const sql of [
      'create table zz_slow (owner_email text)',
      `insert into zz_slow values ('dev@local.test')`,
      'create table zz_many (n integer)',
      'insert into zz_many with recursive c(n) as (select 1 union all select n + 1 from c where n < 60000) select n from c',
      `create trigger zz_slowly before update on zz_slow begin
        select count(*) from zz_many a, zz_many b where a.n + b.n < 0; end`,
    ])
      await query(server, sql)
    const cutOff = ada.post(PATH).catch(() => undefined)
    await waitForLock(server)
    await server.kill()
    expect(await cutOff).toBeUndefined()

    const database = databaseOf(server)
    const counts = async () => {
      const [row] = await query(
        server,
        `select (select count(*) from notes where owner_email = 'ada@example.test') as notes,
          (select count(*) from zz_slow where owner_email = 'ada@example.test') as slow`,
      )
      return { ...row }
    }
    expect(await counts()).toMatchObject({ notes: 0, slow: 0 })
    await query(server, 'drop trigger zz_slowly')
    const env = { ...development, BETTER_AUTH_SECRET: server.secret, FW_BASE_URL: server.origin }
    const next = await startServer({ database, env })
    const headers = { cookie: ada.cookieHeader(), origin: server.origin, 'sec-fetch-site': 'same-origin' }
    const moved = await fetch(next.origin + PATH, { method: 'POST', headers })
    expect((await moved.json()).moved).toMatchObject({ notes: 1, zz_slow: 1 })
    expect(await counts()).toMatchObject({ notes: 1, slow: 1 })
    await next.stop()
  })
})

describe('/_fw/local-migration in production', () => {
  let dataDir: string
  let cookie: string
  let origin: string
  let secret: string

  beforeAll(async () => {
    const server = await startServer({ env: development })
    await createNote(await devBrowser(server), 'Plan')
    const ada = await realBrowser(server)
    cookie = ada.cookieHeader()
    ;({ dataDir, origin, secret } = server)
    await server.stop()
  })

  /** Starts a server in production on the same database. */
  const production = (env: Record<string, string> = {}) =>
    startServer({
      database: databaseOf({ dataDir }),
      env: {
        NODE_ENV: 'production',
        BETTER_AUTH_SECRET: secret,
        FW_BASE_URL: origin,
        FW_DATA_DIR: mkdtempSync(join(tmpdir(), 'fw-production-')),
        ...env,
      },
    })
  const ask = (server: TestServer, method = 'POST') =>
    fetch(server.origin + PATH, { method, headers: { cookie, origin, 'sec-fetch-site': 'same-origin' } })

  it('returns 403, and pages do not mention it', async () => {
    const server = await production()
    expect(await statusAndCode(await ask(server))).toEqual([403, 'local-migration-off'])
    expect(await statusAndCode(await ask(server, 'GET'))).toEqual([403, 'local-migration-off'])
    expect(await (await fetch(`${server.origin}/notes`)).text()).not.toContain('fairway-local-data')
    await server.stop()
  })

  it('is available only to the confirmed address in FW_LOCAL_DATA_OWNER', async () => {
    const other = await production({ FW_LOCAL_DATA_OWNER: 'bob@example.test' })
    expect(await statusAndCode(await ask(other))).toEqual([403, 'local-migration-off'])
    await other.stop()
    const server = await production({ FW_LOCAL_DATA_OWNER: 'Ada@example.test' })
    expect(await statusAndCode(await ask(server))).toEqual([403, 'email-not-verified'])
    await query({ dataDir }, `update users set email_verified = 1 where email = 'ada@example.test'`)
    expect((await (await ask(server)).json()).moved).toMatchObject({ notes: 1 })
    await server.stop()
  })
})

describe('/_fw/local-migration with sign-in disabled', () => {
  it('returns 403 because there is no real account', async () => {
    const server = await borrowServer({ env: { AUTH_DISABLED: 'true' } })
    const browser = createBrowser(server.origin)
    expect(await statusAndCode(await browser.post(PATH))).toEqual([403, 'not-a-real-account'])
    await server.stop()
  })
})
