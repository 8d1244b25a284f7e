import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { diagnose } from '#fairway/cli/doctor/diagnose'
import { examine, toLines } from '#fairway/cli/doctor/check'
import { outgoingBy } from '#fairway/cli/doctor/network'
import { offlineApp } from '#fairway/cli/hub-checks'
import { createGuardedFetch } from '#fairway/server/kernel/http/guarded-fetch'
import { openDatabase } from '#fairway/server/kernel/database/client'
import { createLog } from '#fairway/server/kernel/events/log'
import { copyMigratedDatabase } from '../../support/database'
import { folderWith, writeFiles } from '../../support/files'
import { startSqld } from '../../support/database-sqld'
import { startSmtp } from '../../support/mail'
import { startOidcProvider } from '../../support/provider-oidc'
import { freePort } from '../../support/server'
import { sampleDir } from '../../../scripts/sample.mjs'
import { serve } from '../../support/web-server'

const folder = () => mkdtempSync(join(tmpdir(), 'fw-doctor-'))
const SECRET = 'a-root-secret-of-more-than-32-characters-9f2c'

/** The results of the named checks with these settings: `status text`, and what to do. */
async function find(only: string, env: Record<string, string> = {}, root = sampleDir) {
  const source = { NODE_ENV: 'test', BETTER_AUTH_SECRET: SECRET, FW_DATA_DIR: folder(), ...env }
  const found = await diagnose({ source, root, only: only.split(',').filter(Boolean) })
  return found.map(({ status, text, todo }) => ({ said: `${status} ${text}`, todo }))
}
const said = async (...given: Parameters<typeof find>) => (await find(...given)).map(each => each.said)

describe('fw doctor: local checks', () => {
  it('warns about unknown settings with the nearest known name, and about ignored values', async () => {
    const [unknown, half] = await find('settings', { FW_BASEURL: 'x', SMTP_URL: 'smtp://localhost' })
    expect(unknown).toEqual({
      said: 'warning FW_BASEURL is no setting of this platform',
      todo: 'If FW_BASE_URL is meant, rename it; otherwise take it out.',
    })
    expect(half?.said).toMatch(/^warning SMTP_URL is set and EMAIL_FROM is not/)
    expect(await said('settings')).toEqual(['ok all are understood, for test'])
    expect(await said('settings', { NODE_ENV: '' })).toEqual(['ok all are understood, for development'])
  })

  it('reports every invalid setting and still runs checks that need no settings', async () => {
    const found = await said('', { PORT: 'many', DATABASE_URL: 'ftp://x' })
    expect(found.filter(text => text.startsWith('fault'))).toEqual([
      expect.stringMatching(/^fault PORT: /),
      expect.stringMatching(/^fault DATABASE_URL: must begin with/),
    ])
    expect(found).toContain(`ok Node.js ${process.versions.node}`)
  })

  it('lists the routes that anyone can call, until routes.requireSession closes them', async () => {
    const root = folderWith({
      'nuxt.config.ts': '',
      'server/api/reports.get.ts': 'export default defineEventHandler(() => rows)',
      'server/api/mine.get.ts': 'export default defineEventHandler(async event => (await requireSession(event)).email)',
      'server/api/health.get.ts': 'export default definePublicRoute(() => 1)',
    })
    const [open] = await find('routes', {}, root)
    expect(open?.said).toBe('warning without a session, anyone can call server/api/reports.get.ts')
    expect(open?.todo).toContain('routes: { requireSession: true }')
    writeFileSync(
      join(root, 'fw.config.ts'),
      `import { defineFwConfig } from '#fw'\nexport default defineFwConfig({ routes: { requireSession: true } })`,
    )
    expect(await said('routes', {}, root)).toEqual(['ok every route asks for a session, or is declared public'])
    writeFiles(root, { 'server/routes/feed.ts': 'export default () => 1' })
    expect(await said('routes', {}, root)).toEqual(['warning without a session, anyone can call server/routes/feed.ts'])
    expect(await said('routes', {}, folder())).toEqual(['off there are no sources here'])
  })

  it('loads the declarations, and names the file of a broken one', async () => {
    expect((await said('declarations'))[0]).toMatch(/^ok \d+ actions and \d+ collections load$/)
    const root = folder()
    writeFileSync(join(root, 'nuxt.config.ts'), '')
    expect(await said('declarations', {}, root)).toEqual([expect.stringMatching(/^ok \d+ actions and \d+ collections/)])
    mkdirSync(join(root, 'server/actions'), { recursive: true })
    writeFileSync(join(root, 'server/actions/greet.ts'), 'export default 1')
    expect(await said('declarations', {}, root)).toEqual([
      'fault server/actions/greet.ts: the default export is not made by defineAction',
    ])
  })

  it('lists private files that other users can read or change, and how to fix them', async () => {
    const root = folder()
    writeFileSync(join(root, '.env'), 'A=1', { mode: 0o600 })
    const env = { XDG_CONFIG_HOME: root }
    expect(await said('files', env, root)).toEqual(['ok 1 private files are this user’s alone'])
    chmodSync(join(root, '.env'), 0o644)
    expect(await find('files', env, root)).toEqual([
      { said: 'warning .env has the mode 644: others on this machine can read it', todo: 'Run `chmod 600 .env`.' },
    ])
    chmodSync(join(root, '.env'), 0o622)
    expect(await said('files', env, root)).toEqual([
      'fault .env has the mode 622: others on this machine can change it',
    ])
  })

  it('reports whether the port is free', async () => {
    const port = await freePort()
    const env = { PORT: String(port), FW_BASE_URL: `http://localhost:${await freePort()}`, HOST: '127.0.0.1' }
    expect(await said('port', env)).toEqual([`ok ${port} is free`])
    const other = createServer().listen(port, '127.0.0.1')
    await once(other, 'listening')
    expect(await said('port', env)).toEqual([`warning ${port} is taken by another program`])
    other.close()
  })
})

describe('fw doctor: database checks', () => {
  it('reports whether the database file is missing, current, outdated or invalid', async () => {
    const FW_DATA_DIR = folder()
    const file = join(FW_DATA_DIR, 'fairway.db')
    const env = { FW_DATA_DIR }
    expect((await said('database,migrations', env)).join()).toMatch(
      /^ok .* is not there yet: .*,ok \d+ will be applied/,
    )
    await copyMigratedDatabase(file)
    expect((await said('database,migrations', env)).join()).toMatch(
      /^ok .* can be written, journal mode wal,ok all \d+ are applied$/,
    )
    const log = createLog(
      () => {},
      'error',
      () => new Date(),
    )
    const db = await openDatabase({ url: `file:${file}`, log })
    const tables = await db.client.execute("select name from sqlite_master where name = 'fw_doctor'")
    expect(tables.rows).toEqual([])
    await db.client.execute("delete from fw_application_migrations where name = '0000_notes'")
    await db.close()
    expect(await said('migrations', env)).toEqual(['warning 1 are not applied: 0000_notes'])
    writeFileSync(file, 'this is no database, although it is long enough to be taken for one'.repeat(20))
    expect((await said('database', env))[0]).toMatch(/^fault .* does not answer: /)
  })

  it('reports whether a libSQL server responds and whether the clocks agree', async () => {
    const sqld = await startSqld()
    const env = { DATABASE_URL: sqld.url }
    expect((await said('database,clock', env)).join()).toMatch(
      /^ok 127.* answers within \d+ ms and can be written,ok agrees with the database server/,
    )
    await sqld.stop()
    const [gone] = await find('database', env)
    expect([gone?.said, gone?.todo]).toEqual([
      expect.stringMatching(/^fault 127.* does not answer/),
      expect.stringContaining('DATABASE_URL'),
    ])
  })
})

describe('fw doctor: external services', () => {
  it('checks the mail server, sends one mail on request and hides the password in errors', async () => {
    const smtp = await startSmtp()
    const mail = { SMTP_URL: smtp.url, EMAIL_FROM: 'Fairway <no-reply@example.com>' }
    expect((await said('mail', mail))[0]).toMatch(/^ok .* no mail was sent/)
    expect(smtp.received).toEqual([])
    const source = { NODE_ENV: 'test', BETTER_AUTH_SECRET: SECRET, ...mail }
    await diagnose({ source, root: sampleDir, only: ['mail'], sendTo: 'ada@example.test' })
    expect(smtp.received.map(({ to }) => to)).toEqual([['ada@example.test']])
    expect(smtp.received[0]?.data).toContain('fw doctor sent this')
    await smtp.stop()
    const closed = `smtp://ada:a-password-of-hers@${new URL(smtp.url).host}`
    const [gone] = await find('mail', { ...mail, SMTP_URL: closed })
    expect(gone?.said).toMatch(/^fault 127.*ECONNREFUSED/)
    expect(JSON.stringify(gone)).not.toContain('a-password-of-hers')
    expect((await said('mail'))[0]).toMatch(/^ok mails are written to/)
    expect((await said('mail', { NODE_ENV: 'production', FW_BASE_URL: 'https://app.example.com' }))[0]).toMatch(
      /^warning no mail server/,
    )
  })

  it('reports a working provider as ok, and an unregistered redirect address or an unavailable provider as a fault', async () => {
    const client = { clientId: 'app', clientSecret: 'the-secret-of-the-client' }
    const provider = await startOidcProvider(client)
    const entry = { id: 'corp', name: 'Corp', issuer: provider.issuer, ...client }
    const env = { FW_BASE_URL: 'http://localhost:3999', FW_OIDC_PROVIDERS: JSON.stringify([entry]) }
    provider.allow('http://localhost:3999/_fw/auth/callback/corp')
    expect(await said('providers,clock', env)).toEqual([
      'ok corp answers; people are sent back to http://localhost:3999/_fw/auth/callback/corp',
      expect.stringMatching(/^ok agrees with 127|^ok agrees with localhost/),
    ])
    provider.allow('http://localhost:4000/_fw/auth/callback/corp')
    const [refused] = await find('providers', env)
    expect(refused?.said).toMatch(/^fault corp refuses the client or the redirect address \(4\d\d\)/)
    expect(refused?.todo).toContain('Register http://localhost:3999/_fw/auth/callback/corp')
    await provider.stop()
    expect((await said('providers', env))[0]).toMatch(/^fault corp does not answer/)
  })

  it('reports a wrong clock as a fault', async () => {
    const late = await serve(
      async () => new Response('', { headers: { date: new Date(Date.now() - 90_000).toUTCString() } }),
    )
    const entry = { id: 'corp', name: 'Corp', issuer: late.origin, clientId: 'a', clientSecret: 'b-long-enough' }
    const [found] = await said('clock', { FW_OIDC_PROVIDERS: JSON.stringify([entry]) })
    expect(found).toMatch(/^fault .* is (89|90|91) s behind$/)
    await late.stop()
  })

  it('warns that the server cannot fetch host documents when name resolution fails', async () => {
    const source = { NODE_ENV: 'production', BETTER_AUTH_SECRET: SECRET, FW_BASE_URL: 'https://app.example.com' }
    const patient = { root: sampleDir, source, config: offlineApp(source).config }
    const away = createGuardedFetch({ resolve: () => Promise.reject(new Error('ENOTFOUND')) })
    const [found] = await examine(patient, [outgoingBy(away)])
    expect([found?.status, found?.text]).toEqual([
      'warning',
      expect.stringContaining('the name of its host is not known'),
    ])
    expect(await said('outgoing')).toEqual(['off hosts of an application on this machine register themselves'])
  })

  it('warns about an unreachable base URL in development, and reports a fault in production or for another program', async () => {
    const FW_BASE_URL = `http://127.0.0.1:${await freePort()}`
    expect(await said('base-url,mcp', { FW_BASE_URL })).toEqual([
      `warning ${FW_BASE_URL} does not answer`,
      'off not looked at: the base URL does not answer',
    ])
    expect((await said('base-url', { FW_BASE_URL, NODE_ENV: 'production' }))[0]).toMatch(
      /^fault .* does not answer from here/,
    )
    expect((await said('base-url', { FW_BASE_URL: 'http://app.example.com', NODE_ENV: 'production' }))[0]).toMatch(
      /^fault .* is not encrypted$/,
    )
    const other = await serve(async () => new Response('hello'))
    expect(await said('base-url', { FW_BASE_URL: other.origin })).toEqual([
      `fault ${other.origin} answers 200, not as this platform does`,
    ])
    await other.stop()
  })
})

it('fw doctor hides secret values in every check result', async () => {
  const source = { BETTER_AUTH_SECRET: SECRET, SMTP_URL: 'smtp://ada:pass%20word@mail.example.com' }
  const patient = { root: '/', source, config: offlineApp({}).config }
  const run = () => Promise.reject(new Error(`${SECRET} and pass word, pass%20word`))
  const [found] = await examine(patient, [{ name: 'leaky', run }])
  expect(found?.text).toBe('could not be looked at: •••• and ••••, ••••')
})

it('toLines shows the status of each check and counts faults and warnings', () => {
  const lines = toLines([
    { check: 'a', status: 'ok', text: 'fine' },
    { check: 'b', status: 'fault', text: 'broken', todo: 'Mend it.' },
    { check: 'c', status: 'warning', text: 'odd', todo: 'Look.' },
  ])
  expect(lines).toEqual(['✓ a: fine', '✗ b: broken', '    Mend it.', '! c: odd', '    Look.', '1 fault, 1 warning.'])
})
