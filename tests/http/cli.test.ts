import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { builderKeys } from '../support/builder'
import { fwBeside } from '../support/fw'
import { createBrowser, signUp } from '../support/http'
import { query } from '../support/query'
import { borrowServer } from '../support/server'
import { useServer } from '../support/use-server'

const server = useServer({ env: { NODE_ENV: 'development' } })

const local = { AUTH_MODE: 'local' }

describe('fw jobs', () => {
  const jobs = (...args: string[]) => fwBeside(server, ['jobs', ...args])
  const rows = () => query(server, `select id, state, attempts from fw_jobs where name = 'nightly' order by id`)

  it('lists, retries and cancels jobs', async () => {
    expect(await jobs('list', '--name', 'nightly')).toMatchObject({ code: 0, out: 'No matching jobs.\n' })
    // The server runs no jobs with this name.
    await query(
      server,
      `insert into organizations (id, name, created_by, created_at) values ('larch', 'Larch', 'ada', 0)`,
    )
    for (const [id, state, error] of [
      ['1', 'failed', 'The peer is away.'],
      ['2', 'ready', null],
    ])
      await query(
        server,
        `insert into fw_jobs (id, name, input, state, run_at, attempts, most_attempts, error, progress_done, progress_total, created_at, finished_at, org_id)
          values (?, 'nightly', '{}', ?, 0, 3, 3, ?, 2, 10, 0, ?, 'larch')`,
        [id ?? '', state ?? '', error ?? null, error ? Date.now() : null],
      )
    const { out } = await jobs('list', '--state', 'failed', '--name', 'nightly')
    expect(out).toBe('1  nightly  failed  attempt 3  1970-01-01T00:00:00.000Z  in Larch  2 of 10  The peer is away.\n')
    expect(await jobs('retry')).toMatchObject({ code: 0, out: 'Queued again: 1.\n' })
    expect(await jobs('cancel', '2')).toMatchObject({ code: 0 })
    expect(await jobs('cancel', '2')).toMatchObject({ code: 1 })
    expect(await rows()).toEqual([
      { id: '1', state: 'ready', attempts: 0 },
      { id: '2', state: 'cancelled', attempts: 3 },
    ])
  })

  it('explains an unknown job or state and lists the valid ones', async () => {
    expect((await jobs('run', 'nothing')).err).toContain(
      'There is no job nothing. There are: fw-check-domains, fw-delete-files, fw-end-plans, fw-purge, fw-review-access, fw-run-task, fw-seal-audit, fw-send-mail, fw-time-zones, fw-webhook',
    )
    expect((await jobs('list', '--state', 'gone')).err).toContain('The states are scheduled, ready')
  })
})

describe('fw action', () => {
  it('lists and describes the actions', async () => {
    const listed = await fwBeside(server, ['action', '--list'])
    expect(listed.out).not.toContain('get-browser-connection')
    const { privateKey: BUILDER_PRIVATE_KEY, publicKey: BUILDER_PUBLIC_KEY } = builderKeys
    const connected = await fwBeside(server, ['action', '--list'], { BUILDER_PRIVATE_KEY, BUILDER_PUBLIC_KEY })
    expect(connected.out).toContain('get-browser-connection')
    expect([listed.code, listed.out]).toEqual([0, expect.stringMatching(/create-note +Creates a note/)])
    const described = await fwBeside(server, ['action', 'create-note', '--help'])
    expect(described.out).toMatch(/--title <string> {2}One line/)
    expect((await fwBeside(server, ['action', 'no-such-action'])).code).toBe(2)
  })

  it('requires AUTH_MODE=local and never runs in production', async () => {
    const plain = await fwBeside(server, ['action', 'list-notes'])
    expect([plain.code, plain.out, plain.err]).toEqual([1, '', expect.stringMatching(/AUTH_MODE=local/)])
    const production = await fwBeside(server, ['action', 'list-notes'], {
      ...local,
      NODE_ENV: 'production',
      FW_BASE_URL: server.origin,
    })
    expect([production.code, production.err]).toEqual([1, expect.stringMatching(/production/)])
  })

  it('explains how to sign in without a session, even with an empty NODE_ENV', async () => {
    for (const env of [local, { ...local, NODE_ENV: '' }]) {
      const { code, err } = await fwBeside(server, ['action', 'list-notes'], env)
      expect([code, err]).toEqual([1, expect.stringMatching(/Nobody is signed in.*unauthenticated/s)])
    }
  })

  it('acts as the one signed-in person, and the browser shows the result', async () => {
    const browser = createBrowser(server.origin)
    await browser.get('/sign-in')
    const created = await fwBeside(server, ['action', 'create-note', '--title', 'From the terminal', '--pinned'], local)
    expect([created.code, created.err]).toEqual([0, 'Acting as dev@local.test.\n'])
    expect(JSON.parse(created.out).note).toMatchObject({ title: 'From the terminal', pinned: true })
    const listed = await (await browser.get('/_fw/actions/list-notes')).json()
    expect(listed.result.notes).toMatchObject([{ title: 'From the terminal' }])
    const raw = await fwBeside(server, ['action', 'search-notes', '--json', '{"query":"TERMINAL"}', '--raw'], local)
    expect(raw.out.trim().split('\n')).toHaveLength(1)
    await browser.post('/_fw/actions/create-note', { json: { title: 'From the browser' } })
    const both = await fwBeside(server, ['action', 'list-notes'], local)
    expect(JSON.parse(both.out).totalItems).toBe(2)
  })

  it('ignores expired sessions and sessions of an older application', async () => {
    await query(server, 'update sessions set expires_at = expires_at - 1e10')
    const expired = await fwBeside(server, ['action', 'list-notes'], local)
    expect([expired.code, expired.err]).toEqual([1, expect.stringMatching(/Nobody is signed in/)])
    await query(
      server,
      `insert into users (id, name, email, created_at, updated_at) values ('old', '', 'local@localhost', 0, 0)`,
    )
    await query(
      server,
      `insert into sessions (id, user_id, token, expires_at, created_at, updated_at) values ('old', 'old', 'old', 9e12, 0, 0)`,
    )
    expect((await fwBeside(server, ['action', 'list-notes'], local)).code).toBe(1)
    await query(server, 'update sessions set expires_at = expires_at + 1e10')
    expect((await fwBeside(server, ['action', 'list-notes'], local)).code).toBe(0)
  })

  it('prefers the one real account over the development account, in any number of browsers', async () => {
    const person = { email: 'eve@example.test', password: 'quiet harbour lantern 42', name: 'Eve' }
    await signUp(createBrowser(server.origin), person)
    await createBrowser(server.origin).post('/_fw/auth/sign-in/email', { json: person })
    const listed = await fwBeside(server, ['action', 'list-notes'], local)
    expect([listed.code, listed.err]).toEqual([0, 'Acting as eve@example.test.\n'])
    expect(JSON.parse(listed.out).totalItems).toBe(0)
    await query(server, `delete from sessions where user_id in (select id from users where email = ?)`, [person.email])
  })

  it('explains invalid input and exits with 1', async () => {
    const { code, out, err } = await fwBeside(server, ['action', 'create-note', '--title', ''], local)
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(/invalid-input.*title:/s)
    expect((await fwBeside(server, ['action', 'create-note', '--json', '{'], local)).err).toMatch(/malformed-json/)
  })

  it('requires FW_USER_EMAIL when several people are signed in, without naming them', async () => {
    for (const name of ['ada', 'bob']) {
      await signUp(createBrowser(server.origin), {
        email: `${name}@example.test`,
        password: 'quiet harbour lantern 42',
        name,
      })
    }
    const several = await fwBeside(server, ['action', 'list-notes'], local)
    expect([several.code, several.err]).toEqual([1, expect.stringMatching(/FW_USER_EMAIL/)])
    expect(several.err).not.toMatch(/ada@|bob@/)
    const named = await fwBeside(server, ['action', 'list-notes'], { ...local, FW_USER_EMAIL: 'Bob@example.test' })
    expect([named.code, JSON.parse(named.out).totalItems]).toEqual([0, 0])
    expect(named.err).toBe('Acting as bob@example.test.\n')
    expect(
      (await fwBeside(server, ['action', 'list-notes'], { ...local, FW_USER_EMAIL: 'nobody@example.test' })).code,
    ).toBe(1)
  })
})

describe('fw action without a usable database', () => {
  const folder = () => mkdtempSync(join(tmpdir(), 'fw-cli-'))

  it('reports a missing database and does not create one', async () => {
    const dataDir = folder()
    const { code, out, err } = await fwBeside(server, ['action', 'list-notes'], { ...local, FW_DATA_DIR: dataDir })
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(/There is no database at .*fairway\.db\. Start the application once/)
    expect(existsSync(join(dataDir, 'fairway.db'))).toBe(false)
  })

  it('reports missing tables', async () => {
    const dataDir = folder()
    writeFileSync(join(dataDir, 'fairway.db'), '')
    const { code, err } = await fwBeside(server, ['action', 'list-notes'], { ...local, FW_DATA_DIR: dataDir })
    expect([code, err]).toEqual([1, expect.stringMatching(/The database is not up to date \(\d+ migrations\)/)])
  })

  it('fails with a reason when the file is not a database or the server is unreachable', async () => {
    const dataDir = folder()
    writeFileSync(join(dataDir, 'fairway.db'), 'not a database '.repeat(400))
    const broken = await fwBeside(server, ['action', 'list-notes'], { ...local, FW_DATA_DIR: dataDir })
    expect([broken.code, broken.err]).toEqual([1, expect.stringMatching(/the file is damaged, or not a database/)])
    const away = await fwBeside(server, ['action', 'list-notes'], {
      ...local,
      FW_DATA_DIR: dataDir,
      DATABASE_URL: 'http://127.0.0.1:9',
    })
    expect([away.code, away.err]).toEqual([1, expect.stringMatching(/unavailable/)])
  })
})

describe('AUTH_MODE=local', () => {
  it('does not sign a browser in', async () => {
    const other = await borrowServer({ env: { NODE_ENV: 'development', ...local } })
    const person = { email: 'ada@example.test', password: 'quiet harbour lantern 42', name: 'Ada' }
    await signUp(createBrowser(other.origin), person)
    const nobody = createBrowser(other.origin)
    expect(await (await nobody.get('/_fw/session')).json()).toEqual({ session: null })
    expect((await nobody.get('/_fw/actions/list-notes')).status).toBe(401)
    expect((await nobody.get('/sign-in')).status).toBe(200)
    await other.stop()
  })

  it('rejects any other value of AUTH_MODE', async () => {
    const { code, err } = await fwBeside(server, ['action', 'list-notes'], { AUTH_MODE: 'remote' })
    expect([code, err]).toEqual([2, expect.stringMatching(/AUTH_MODE/)])
  })
})
