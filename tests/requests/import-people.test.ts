import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { statusAndCode } from '../support/error-code'
import { firebase, firebaseHash, foreignHashes, PASSWORD, SHORT_HASH } from '../support/foreign-hashes'
import { fwBeside } from '../support/fw'
import { createBrowser, sessionOf, type TestBrowser } from '../support/http'
import { startSmtp } from '../support/mail'
import { query } from '../support/query'
import { borrowServer, type TestServer } from '../support/server'

/** The people of the file: the form of their hash, the hash and the password. */
const people: [form: string, hash: string, password: string][] = [
  ...Object.entries(foreignHashes).map(([form, hash]): [string, string, string] => [form, hash, PASSWORD]),
  ['scrypt of Firebase', firebaseHash(), firebase.password],
  ['bcrypt of a password that is short and common', SHORT_HASH, 'secret'],
]
const emailOf = (form: string): string => `${people.findIndex(([each]) => each === form)}@example.test`
const BCRYPT = foreignHashes['bcrypt $2b$'] ?? ''

let smtp: Awaited<ReturnType<typeof startSmtp>>
let server: TestServer
const mailEnv = () => ({ SMTP_URL: smtp.url, EMAIL_FROM: 'no-reply@example.test' })
const open = () => createBrowser(server.origin)

beforeAll(async () => {
  smtp = await startSmtp()
  server = await borrowServer({ env: { NODE_ENV: 'production', FW_RATE_LIMITS: 'off', ...mailEnv() } })
  const rows = people.map(([form, hash]) => `${emailOf(form)},yes,"${hash}"`)
  await importRows([
    ...rows,
    `racer@example.test,yes,${BCRYPT}`,
    `new@example.test,no,${BCRYPT}`,
    'bare@example.test,yes,',
  ])
})
afterAll(async () => {
  await server.stop()
  await smtp.stop()
})

async function importRows(rows: string[], ...options: string[]): Promise<string> {
  const file = join(mkdtempSync(join(tmpdir(), 'fw-import-')), 'people.csv')
  writeFileSync(file, ['email,confirmed,password_hash', ...rows].join('\n'))
  const { code, out, err } = await fwBeside(server, ['people', 'import', file, ...options], mailEnv())
  expect({ code, err }).toEqual({ code: 0, err: '' })
  return out
}

const signIn = (email: string, password: string, browser: TestBrowser = open()) =>
  browser.post('/_fw/auth/sign-in/email', { json: { email, password } })

async function hashOf(email: string): Promise<string> {
  const sql = 'select password from accounts a join users u on u.id = a.user_id where u.email = ?'
  return String((await query(server, sql, [email]))[0]?.password)
}

const OWN = /^\$argon2id\$v=19\$/

describe('sign-in of an imported account', () => {
  it.each(people)('accepts the password of %s, and stores its own hash', async (form, hash, password) => {
    const email = emailOf(form)
    expect(await statusAndCode(await signIn(email, `${password}!`))).toEqual([401, 'invalid-credentials'])
    expect(await hashOf(email)).toBe(`imported:${hash}`)
    const browser = open()
    expect((await signIn(email, password, browser)).status).toBe(200)
    expect(await sessionOf(browser)).toMatchObject({ email, emailVerified: true, provider: 'password' })
    const own = await hashOf(email)
    expect(own).toMatch(OWN)
    expect((await signIn(email, password)).status).toBe(200)
    expect(await hashOf(email)).toBe(own)
  })

  it('signs two browsers in at once, and replaces the hash once', async () => {
    const answers = await Promise.all([1, 2].map(() => signIn('racer@example.test', PASSWORD)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await hashOf('racer@example.test')).toMatch(OWN)
    expect((await signIn('racer@example.test', PASSWORD)).status).toBe(200)
  })

  it('asks an unconfirmed person for the mailed link first, which confirms their password', async () => {
    const browser = open()
    const email = 'new@example.test'
    expect(await statusAndCode(await signIn(email, PASSWORD, browser))).toEqual([403, 'email-not-verified'])
    const { link } = await smtp.mailTo(email, /Confirm/)
    const token = new URL(link).searchParams.get('token') ?? ''
    expect((await browser.post('/_fw/auth/link', { form: { token, where: 'here' } })).status).toBe(303)
    expect(await sessionOf(browser)).toMatchObject({ email, emailVerified: true })
    expect((await signIn(email, PASSWORD)).status).toBe(200)
  })

  it('refuses every password of a person without one', async () => {
    expect(await statusAndCode(await signIn('bare@example.test', PASSWORD))).toEqual([401, 'invalid-credentials'])
  })

  it('shows the import under recent activity', async () => {
    const browser = open()
    await signIn('racer@example.test', PASSWORD, browser)
    const { events } = await (await browser.get('/_fw/security-events/mine')).json()
    expect(events.map(({ kind }: { kind: string }) => kind)).toContain('account-imported')
  })
})

describe('fw people import', () => {
  it('shows each row and the sums', async () => {
    const out = await importRows(['bare@example.test,,', 'later@example.test,,'], '--dry-run')
    expect(out).toBe(
      [
        'row 2  exists  bare@example.test',
        'row 3  created  later@example.test',
        '1 created, 0 added to an organization, 1 unchanged, 0 refused.',
        'Nothing was written.',
        '',
      ].join('\n'),
    )
  })

  it('mails a link to the sign-in page to people without a password', async () => {
    await importRows(['mailed@example.test,yes,'], '--mail')
    const mail = await smtp.mailTo('mailed@example.test', /Your account has moved/)
    expect(new URL(mail.link).pathname).toBe('/sign-in')
  })

  it('exits with 2 for a file with an unknown column', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'fw-import-')), 'people.csv')
    writeFileSync(file, 'email,phone\nada@example.test,1')
    const { code, err } = await fwBeside(server, ['people', 'import', file])
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining('unknown column “phone”') })
  })
})
