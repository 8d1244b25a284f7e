import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { importPeople } from '#fairway/cli/import-people/import-people'
import { keepLimits } from '#fairway/server/domains/plans'
import type { App } from '#fairway/server/kernel/app-context'
import { createTestApp, type TestApp } from '../../support/app'
import { startSqld } from '../../support/database-sqld'
import { foreignHashes } from '../../support/foreign-hashes'
import { addPerson, aMember, anotherOrg } from '../../support/members'
import { query } from '../../support/query'
import { useTestApp } from '../../support/use-app'

const { 'bcrypt $2b$': BCRYPT = '', 'pbkdf2_sha256 of Django': PBKDF2 = '' } = foreignHashes
const folder = mkdtempSync(join(tmpdir(), 'fw-import-'))

interface Line {
  row: number
  outcome: string
  email: string
  detail?: string
}

type Options = Partial<Omit<Parameters<typeof importPeople>[1], 'file' | 'json'>>

/** Imports a file, and returns its lines, sums and exit code. */
async function importFile(app: App, text: string | Uint8Array, options: Options = {}) {
  const file = join(folder, 'people.csv')
  writeFileSync(file, text)
  const written: string[] = []
  const spy = vi.spyOn(process.stdout, 'write').mockImplementation(chunk => written.push(String(chunk)) > 0)
  try {
    const asked = { 'dry-run': false, yes: false, 'create-organizations': false, mail: false, ...options }
    const code = await importPeople(app, { ...asked, file, json: true })
    const { rows, ...sums }: { rows: Line[] } & Record<string, unknown> = JSON.parse(written.join(''))
    return { code, rows, sums }
  } finally {
    spy.mockRestore()
  }
}

/** The lines of an import as texts: `outcome email detail`. */
async function linesOf(app: App, text: string | Uint8Array, options?: Options): Promise<string[]> {
  const { rows } = await importFile(app, text, options)
  return rows.map(({ outcome, email, detail }) => [outcome, email, ...(detail ? [detail] : [])].join(' '))
}

/** Rows of the database as plain objects. */
const plain = <T>(rows: T): T => JSON.parse(JSON.stringify(rows))

const csv = (...rows: string[]): string => rows.join('\n')

/** Everything that an import may write. */
const rowsOf = async (app: App) => ({
  people: await query(app, 'select email, name, email_verified as confirmed from users order by email'),
  passwords: await query(
    app,
    'select u.email, a.password from accounts a join users u on u.id = a.user_id order by email',
  ),
  members: await query(
    app,
    `select o.name, u.email, m.role from org_members m join users u on u.id = m.user_id
      join organizations o on o.id = m.org_id order by o.name, u.email`,
  ),
  audit: await query(app, `select action, org_id, input from audit_log where caller = 'cli' order by rowid`),
  events: await query(app, `select kind, reason from security_events where kind = 'account-imported'`),
  mails: await query(app, 'select name from mail_outbox'),
})

describe('fw people import', () => {
  const test = useTestApp()
  let acme: string
  beforeEach(async () => {
    const owner = await aMember(test.app, { email: 'owner@example.test', name: 'Olga' })
    acme = (await anotherOrg(test.app, owner, 'Acme')).orgId ?? ''
  })

  it('creates accounts with their hash, confirmation and membership, and notes them', async () => {
    const { code, rows, sums } = await importFile(
      test.app,
      csv(
        'role,email,password_hash,name,organization,confirmed',
        `admin,Ada@Example.test,${BCRYPT},Ada Lovelace,acme,yes`,
        `,bea@example.test,${PBKDF2},,,`,
        `,carl@example.test,,Carl,${acme},t`,
      ),
    )
    expect({ code, sums }).toEqual({ code: 0, sums: { isDryRun: false, created: 3, added: 0, exists: 0, refused: 0 } })
    expect(rows[0]).toEqual({ row: 2, outcome: 'created', email: 'ada@example.test', detail: 'admin of Acme' })
    const { audit, events, ...written } = await rowsOf(test.app)
    expect(plain(written)).toEqual({
      people: [
        { email: 'ada@example.test', name: 'Ada Lovelace', confirmed: 1 },
        { email: 'bea@example.test', name: 'bea', confirmed: 0 },
        { email: 'carl@example.test', name: 'Carl', confirmed: 1 },
        { email: 'owner@example.test', name: 'Olga', confirmed: 1 },
      ],
      passwords: [
        { email: 'ada@example.test', password: `imported:${BCRYPT}` },
        { email: 'bea@example.test', password: `imported:${PBKDF2}` },
      ],
      members: [
        { name: 'Acme', email: 'ada@example.test', role: 'admin' },
        { name: 'Acme', email: 'carl@example.test', role: 'member' },
        { name: 'Acme', email: 'owner@example.test', role: 'owner' },
        { name: "Olga's organization", email: 'owner@example.test', role: 'owner' },
      ],
      mails: [],
    })
    expect(audit.map(row => ({ ...row, input: JSON.parse(String(row.input)) }))).toEqual([
      { action: 'import-people', org_id: null, input: { file: 'people.csv' } },
      { action: 'import-member', org_id: acme, input: { email: 'ada@example.test', role: 'admin' } },
      { action: 'import-member', org_id: acme, input: { email: 'carl@example.test', role: 'member' } },
    ])
    expect(events).toEqual(Array.from({ length: 3 }, () => ({ kind: 'account-imported', reason: 'by an operator' })))
    const left = ['sessions', 'two_factor', 'passkeys', 'org_invitations']
    expect(await Promise.all(left.map(table => query(test.app, `select 1 from ${table}`)))).toEqual(left.map(() => []))
  })

  it('says the same in a dry run, and writes nothing', async () => {
    await addPerson(test.app, { email: 'known@example.test' })
    const file = csv(
      'email,confirmed,organization,role,password_hash',
      'known@example.test,,Acme,,',
      'ada@example.test,1,Acme,admin,',
      'bea@example.test,1,Birch,owner,',
      'carl@example.test,1,Birch,,',
      'carl@example.test,1,Acme,,',
      'dora@example.test,,,,secret',
    )
    const before = await rowsOf(test.app)
    const options = { 'create-organizations': true }
    const dry = await importFile(test.app, file, { ...options, 'dry-run': true })
    expect(await rowsOf(test.app)).toEqual(before)
    const real = await importFile(test.app, file, options)
    expect(dry).toEqual({ ...real, sums: { ...real.sums, isDryRun: true } })
    expect(real).toMatchObject({ code: 1, sums: { created: 3, added: 2, exists: 0, refused: 1 } })
  })

  it('never changes an account that exists, and is harmless when repeated', async () => {
    await addPerson(test.app, { email: 'known@example.test', name: 'Known' })
    const file = csv(
      'email,name,confirmed,password_hash,organization,role',
      `known@example.test,Other,1,${BCRYPT},Acme,`,
      'owner@example.test,Other,1,,Acme,member',
      'ada@example.test,Ada,1,,,',
    )
    expect(await linesOf(test.app, file)).toEqual([
      'added known@example.test member of Acme',
      'exists owner@example.test already a member of Acme',
      'created ada@example.test',
    ])
    const { people, passwords, members } = await rowsOf(test.app)
    expect(people).toContainEqual({ email: 'known@example.test', name: 'Known', confirmed: 1 })
    expect(passwords).toEqual([])
    expect(members).toContainEqual({ name: 'Acme', email: 'owner@example.test', role: 'owner' })
    const after = await rowsOf(test.app)
    expect(await linesOf(test.app, file)).toEqual([
      'exists known@example.test already a member of Acme',
      'exists owner@example.test already a member of Acme',
      'exists ada@example.test',
    ])
    const again = await rowsOf(test.app)
    expect({ ...again, audit: again.audit.filter(({ action }) => action === 'import-member') }).toEqual({
      ...after,
      audit: after.audit.filter(({ action }) => action === 'import-member'),
    })
  })

  it.each([
    ['an address that is none', 'nobody,', 'The address is not valid.'],
    ['a reserved address', 'dev@local.test,', 'The address is reserved.'],
    ['a long name', `ada@example.test,${'a'.repeat(101)}`, 'The name has more than 100 characters.'],
    ['a word in confirmed', 'ada@example.test,,maybe', '“maybe” in confirmed is neither true nor false.'],
    ['a password instead of a hash', 'ada@example.test,,,zebra quilt', 'The password hash has no known form.'],
    [
      'a hash that costs too much',
      `ada@example.test,,,${BCRYPT.replace('$04$', '$20$')}`,
      'bcrypt cost is 20, at most 14',
    ],
    ['an unknown role', 'ada@example.test,,1,,Acme,boss', '“boss” is no role. The roles are owner, admin, member.'],
    ['a role without an organization', 'ada@example.test,,1,,,admin', 'A role needs an organization.'],
    ['an unknown organization', 'ada@example.test,,1,,Birch', 'There is no organization “Birch”.'],
    ['an unconfirmed member', 'ada@example.test,,,,Acme', 'The address is not confirmed'],
    ['a cell too many', 'ada@example.test,,1,,Acme,member,more', 'has more cells than there are column names'],
  ])('refuses %s', async (_what, row, reason) => {
    const before = await rowsOf(test.app)
    const { code, rows } = await importFile(test.app, csv('email,name,confirmed,password_hash,organization,role', row))
    expect({ code, rows }).toMatchObject({ code: 1, rows: [{ row: 2, outcome: 'refused' }] })
    expect(rows[0]?.detail).toContain(reason)
    const { audit: _audit, ...after } = await rowsOf(test.app)
    expect(before).toMatchObject(after)
  })

  it.each([
    ['an empty file', '', 'The file is empty'],
    [
      'an unknown column',
      'email,pasword_hash\na@example.test,x',
      'unknown column “pasword_hash”. Did you mean password_hash?',
    ],
    ['a column that is there twice', 'email,email\na@example.test,b@example.test', 'unknown column “email_1”'],
    ['no column email', 'name\nAda', 'The file has no column email.'],
  ])('rejects a file with %s', async (_what, file, reason) => {
    await expect(importFile(test.app, file)).rejects.toThrow(reason)
  })

  it('rejects a file that does not exist', async () => {
    const asked = { 'dry-run': true, yes: false, 'create-organizations': false, mail: false, json: false }
    await expect(importPeople(test.app, { ...asked, file: join(folder, 'none.csv') })).rejects.toThrow(
      'There is no file',
    )
  })

  it('reads files as spreadsheets save them', async () => {
    const file =
      '\uFEFFEmail;Name\r\n"ada@example.test";"Ada\r\nLovelace"\r\n bea@example.test ;=cmd|\' /C calc\'!A0\r\n\r\n'
    const { rows } = await importFile(test.app, file)
    expect(rows.map(({ row, outcome }) => [row, outcome])).toEqual([
      [2, 'created'],
      [3, 'created'],
    ])
    const { people } = await rowsOf(test.app)
    expect(people.map(({ name }) => name)).toEqual(['Ada Lovelace', "=cmd|' /C calc'!A0", 'Olga'])
  })

  it('refuses an address that the file has twice, unless it names another organization', async () => {
    const file = csv(
      'email,confirmed,password_hash,organization,role',
      `ada@example.test,1,${BCRYPT},Acme,`,
      `Ada@example.test,1,,,`,
      `ada@example.test,1,${PBKDF2},Birch,owner`,
      `ada@example.test,1,,acme,`,
      `ada@example.test,1,,,`,
      `ada@example.test,1,${BCRYPT},Birch,owner`,
    )
    expect(await linesOf(test.app, file, { 'create-organizations': true })).toEqual([
      'created ada@example.test member of Acme',
      'refused Ada@example.test Row 2 has this address in another spelling.',
      'refused ada@example.test Row 2 has this address with another password hash.',
      'refused ada@example.test Row 2 has this address.',
      'refused ada@example.test Row 2 has this address.',
      'added ada@example.test owner of Birch, a new organization',
    ])
  })

  it('creates an organization only when asked, with its owner first', async () => {
    const file = csv(
      'email,confirmed,organization,role',
      'bea@example.test,1,Birch,member',
      'ada@example.test,1,Birch,owner',
      'carl@example.test,1,birch,admin',
    )
    const reason = 'There is no organization “Birch”. With --create-organizations it is created.'
    expect((await importFile(test.app, file)).rows.map(({ detail }) => detail)).toEqual([
      reason,
      reason,
      reason.replace('Birch', 'birch'),
    ])
    expect(await linesOf(test.app, file, { 'create-organizations': true })).toEqual([
      'refused bea@example.test There is no organization “Birch” yet. The row of its owner comes first.',
      'created ada@example.test owner of Birch, a new organization',
      'created carl@example.test admin of Birch',
    ])
    expect(await linesOf(test.app, file, { 'create-organizations': true })).toEqual([
      'created bea@example.test member of Birch',
      'exists ada@example.test already a member of Birch',
      'exists carl@example.test already a member of Birch',
    ])
    expect(await query(test.app, `select name from organizations where name like 'birch'`)).toEqual([{ name: 'Birch' }])
  })

  it('asks for the ID where several organizations have a name', async () => {
    const other = await aMember(test.app)
    const second = (await anotherOrg(test.app, other, 'ACME')).orgId ?? ''
    const file = csv('email,confirmed,organization', 'ada@example.test,1,Acme', `bea@example.test,1,${second}`)
    expect(await linesOf(test.app, file)).toEqual([
      'refused ada@example.test Several organizations have the name “Acme”. Write the ID of one.',
      'created bea@example.test member of ACME',
    ])
  })

  it('adds nobody whose account is unconfirmed, and nobody whom the directory removed', async () => {
    await addPerson(test.app, { email: 'squatter@example.test', emailVerified: false })
    const { id } = await addPerson(test.app, { email: 'gone@example.test' })
    await query(test.app, 'insert into fw_kept_out_members (org_id, user_id, since) values (?, ?, 1)', [acme, id])
    const file = csv('email,confirmed,organization', 'squatter@example.test,1,Acme', 'gone@example.test,1,Acme')
    expect(await linesOf(test.app, file)).toEqual([
      'refused squatter@example.test The address is not confirmed, so the person cannot become a member. Invite them instead.',
      'refused gone@example.test The directory of Acme has removed this person.',
    ])
    expect((await rowsOf(test.app)).members.filter(({ name }) => name === 'Acme')).toHaveLength(1)
  })

  it('keeps the organization that a person works in', async () => {
    const ada = await aMember(test.app, { email: 'ada@example.test' })
    const own = (await anotherOrg(test.app, ada, 'Own')).orgId
    await importFile(test.app, csv('email,organization', 'ada@example.test,Acme'))
    const active = `select value from user_settings where key = 'active-org-id' and user_id = ?`
    expect(await query(test.app, active, [ada.userId])).toEqual([{ value: own }])
  })

  it('names the row below which the quotation marks do not match, and keeps the rows above', async () => {
    const file = csv('email,name', 'ada@example.test,Ada', 'bea@example.test,"Bea', 'carl@example.test,Carl')
    const { rows } = await importFile(test.app, file)
    expect(rows.map(({ row, outcome }) => [row, outcome])).toEqual([
      [2, 'created'],
      [3, 'refused'],
    ])
  })
})

describe('fw people import with mails', () => {
  const test = useTestApp({ SMTP_URL: 'smtp://127.0.0.1:1', EMAIL_FROM: 'no-reply@example.test' })

  it('mails new people without a password, only when asked', async () => {
    const file = (name: string) =>
      csv(
        'email,password_hash',
        `${name}@example.test,`,
        `${name}.password@example.test,${BCRYPT}`,
        'old@example.test,',
      )
    await addPerson(test.app, { email: 'old@example.test' })
    await importFile(test.app, file('ada'))
    expect((await rowsOf(test.app)).mails).toEqual([])
    await importFile(test.app, file('bea'), { mail: true, 'dry-run': true })
    expect((await rowsOf(test.app)).mails).toEqual([])
    await importFile(test.app, file('bea'), { mail: true })
    expect((await rowsOf(test.app)).mails).toEqual([{ name: 'account-imported' }])
  })
})

describe('fw people import in production', () => {
  const env = { NODE_ENV: 'production', FW_OPERATORS: 'op@example.test', FW_BASE_URL: 'https://app.example.test' }
  const test = useTestApp(env)
  const file = csv('email', 'ada@example.test')

  it('writes only with --yes and the address of an operator, whom the audit log names', async () => {
    const { id } = await addPerson(test.app, { email: 'op@example.test' })
    expect(await importFile(test.app, file)).toMatchObject({ code: 0, sums: { isDryRun: true, created: 1 } })
    expect((await rowsOf(test.app)).people).toHaveLength(1)
    await expect(importFile(test.app, file, { yes: true })).rejects.toMatchObject({ code: 'unauthenticated' })
    await expect(importFile(test.app, file, { yes: true, operator: 'a@example.test' })).rejects.toMatchObject({
      code: 'forbidden',
    })
    await importFile(test.app, file, { yes: true, operator: 'op@example.test' })
    expect((await rowsOf(test.app)).people).toHaveLength(2)
    expect(await query(test.app, 'select action, user_id from audit_log')).toEqual([
      { action: 'import-people', user_id: id },
    ])
  })

  it('rejects --mail where no mail can be sent', async () => {
    await expect(importFile(test.app, file, { mail: true })).rejects.toMatchObject({ code: 'mail-unavailable' })
  })
})

const plans = {
  limits: { seats: { counts: 'org_members', title: 'Members' } },
  features: {},
  plans: { free: { title: 'Free', limits: { seats: 2 } } },
  default: 'free',
}

describe.each(['a database file', 'a libSQL server'])('fw people import on %s', where => {
  let database: Awaited<ReturnType<typeof startSqld>> | undefined
  let test: TestApp
  beforeAll(async () => {
    database = where === 'a database file' ? undefined : await startSqld()
    test = await createTestApp(database ? { DATABASE_URL: database.url } : {}, { plans })
    await keepLimits(test.app)
  })
  afterAll(async () => {
    await test.close()
    await database?.stop()
  })

  it('imports more rows than one transaction has', async () => {
    const rows = Array.from({ length: 450 }, (_, index) => `person${index}@example.test,${BCRYPT}`)
    const { code, sums } = await importFile(test.app, csv('email,password_hash', ...rows))
    expect({ code, sums }).toMatchObject({ code: 0, sums: { created: 450 } })
    expect(await query(test.app, 'select count(*) as n from accounts')).toEqual([{ n: 450 }])
  })

  it('keeps the seats of a plan, in a dry run too', async () => {
    const file = csv(
      'email,confirmed,organization,role',
      'ada@example.test,1,Birch,owner',
      'bea@example.test,1,Birch,',
      'carl@example.test,1,Birch,',
    )
    const options = { 'create-organizations': true }
    const dry = await linesOf(test.app, file, { ...options, 'dry-run': true })
    expect(await linesOf(test.app, file, options)).toEqual(dry)
    expect(dry).toEqual([
      'created ada@example.test owner of Birch, a new organization',
      'created bea@example.test member of Birch',
      'refused carl@example.test Members: 2 of 2 on the plan Free.',
    ])
    expect(await query(test.app, `select 1 from users where email = 'carl@example.test'`)).toEqual([])
  })

  it('refuses one row alone when the database refuses it', async () => {
    const raise = `create trigger no_eve before insert on users when new.email = 'eve@example.test' begin
      select raise(abort, 'fw-refused {"code":"plan-limit","detail":"No seat for Eve."}'); end`
    await test.app.db.client.execute(raise)
    const file = csv('email', 'dora@example.test', 'eve@example.test', 'fred@example.test')
    expect(await linesOf(test.app, file)).toEqual([
      'created dora@example.test',
      'refused eve@example.test No seat for Eve.',
      'created fred@example.test',
    ])
  })
})
