import { describe, expect, it } from 'vitest'
import { checkMailedCode, findEmailLink, findWaitingLink, issueEmailLink } from '#fairway/server/domains/people'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { openLink, signInWithMailedCode } from '#fairway/server/domains/sign-in/open-link'
import { useTestApp } from '../../../support/use-app'
import { refusalOf } from '../../../support/error-code'
import { addPerson } from '../../../support/members'
import { countRows, query } from '../../../support/query'

const EMAIL = 'ada@example.test'
const test = useTestApp({ SMTP_URL: 'smtp://127.0.0.1:9', EMAIL_FROM: 'no-reply@example.test' })

/** A browser that waits for a sign-in link, with the link's token and its code. */
async function waitingBrowser({ clientAddress = '203.0.113.9', email = EMAIL, purpose = 'magic-link' as const } = {}) {
  const payload = { returnPath: '/notes', language: 'en', userAgent: 'test', clientAddress }
  const { href, setCookie, code = '' } = await issueEmailLink(test.app, { purpose, email, payload })
  const request = { clientAddress, userAgent: 'test', cookieHeader: setCookie.split(';', 1)[0] }
  return {
    code,
    wrong: String((Number(code) + 1) % 1_000_000).padStart(6, '0'),
    token: new URL(href).searchParams.get('token') ?? '',
    request,
    enter: (typed: string, from = request) => signInWithMailedCode(test.app, { code: typed }, from),
  }
}
const sessions = () => countRows(test.app, 'sessions')

describe('the code of a sign-in email', () => {
  it('signs in the browser that requested it, creates the account and uses up the link', async () => {
    const { code, token, request, enter } = await waitingBrowser()
    expect(code).toMatch(/^\d{6}$/)
    const { body, location, setCookies } = await enter(code)
    expect([body, location]).toEqual([{ status: 'signed-in', location: '/notes' }, '/notes'])
    expect(setCookies[0]).toContain('session_token=')
    expect(await query(test.app, 'select email, email_verified from users')).toEqual([
      { email: EMAIL, email_verified: 1 },
    ])
    expect(await refusalOf(findEmailLink(test.app, token, request.cookieHeader))).toBe('link-used')
    expect((await enter(code)).body).toEqual({ status: 'ended' })
  })

  it('ends when the link was opened', async () => {
    const { code, token, request, enter } = await waitingBrowser()
    await openLink(test.app, { token, where: 'here' }, request)
    expect((await enter(code)).body).toEqual({ status: 'ended' })
    expect(await sessions()).toBe(1)
  })

  it('works once for twenty concurrent requests', async () => {
    const { code, enter } = await waitingBrowser()
    const answers = await Promise.allSettled(Array.from({ length: 20 }, () => enter(code)))
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await sessions()).toBe(1)
  })

  it('ends after five wrong ones, also of concurrent requests, and leaves the link', async () => {
    const { code, wrong, token, request, enter } = await waitingBrowser()
    const answers = await Promise.all(Array.from({ length: 10 }, () => refusalOf(enter(wrong))))
    expect(answers.toSorted()).toEqual([
      ...Array.from({ length: 6 }, () => 'code-ended'),
      ...Array.from({ length: 4 }, () => 'invalid-code'),
    ])
    expect(await refusalOf(enter(code))).toBe('code-ended')
    expect(await sessions()).toBe(0)
    expect((await openLink(test.app, { token, where: 'here' }, request)).body).toMatchObject({ signedIn: true })
  })

  it('accepts the right one at the fifth try', async () => {
    const { code, wrong, enter } = await waitingBrowser()
    for (let tries = 0; tries < 4; tries++) expect(await refusalOf(enter(wrong))).toBe('invalid-code')
    expect((await enter(code)).body).toMatchObject({ status: 'signed-in' })
  })

  it('is worth nothing in another browser, with or without an own link', async () => {
    const { code } = await waitingBrowser()
    const other = await waitingBrowser()
    expect((await other.enter(code, { ...other.request, cookieHeader: '' })).body).toEqual({ status: 'ended' })
    if (code !== other.code) expect(await refusalOf(other.enter(code))).toBe('invalid-code')
    expect(await sessions()).toBe(0)
  })

  it('expires with its link', async () => {
    const { code, enter } = await waitingBrowser()
    await query(test.app, 'update fw_one_time set expires_at = ?', [Date.now() - 1])
    expect((await enter(code)).body).toEqual({ status: 'ended' })
    expect(await sessions()).toBe(0)
  })

  it('is stored as a hash with the secret of the browser, which is not stored', async () => {
    const { code, request } = await waitingBrowser()
    const link = await findWaitingLink(test.app, request.cookieHeader)
    expect(link?.payload.codeHash).toHaveLength(sha256('').length)
    expect(JSON.stringify(await query(test.app, 'select * from fw_one_time'))).not.toContain(code)
    // Without the browser's secret, the million possible codes cannot be tried.
    const foreign = refusalOf(checkMailedCode(test.app, link!, code, undefined))
    expect(await foreign).toBe('invalid-code')
  })

  it.each(['verification', 'password-reset'] as const)('does not exist for a link of the kind %s', async purpose => {
    const payload = { returnPath: '/', language: 'en', userAgent: '', clientAddress: '' }
    const { code, setCookie } = await issueEmailLink(test.app, { purpose, email: EMAIL, payload })
    expect(code).toBeUndefined()
    const request = { clientAddress: '203.0.113.9', userAgent: '', cookieHeader: setCookie.split(';', 1)[0] }
    const tried = await refusalOf(signInWithMailedCode(test.app, { code: '000000' }, request))
    expect(tried).toBe('invalid-code')
  })

  it('asks for the second factor afterwards', async () => {
    const person = await addPerson(test.app, { email: EMAIL })
    await query(
      test.app,
      `insert into two_factor (user_id, secret, active_at, last_step, created_at) values (?, 'x', 1, 0, 1)`,
      [person.id],
    )
    const { code, enter } = await waitingBrowser()
    expect(await refusalOf(enter(code))).toBe('second-factor-required')
    expect(await sessions()).toBe(0)
  })
})

describe('wrong codes of sign-in emails', () => {
  it('are limited to twenty a day for one account, from any number of networks', async () => {
    const answers: unknown[] = []
    for (let at = 0; at < 5; at++) {
      const { wrong, enter } = await waitingBrowser({ clientAddress: `198.51.100.${at}` })
      for (let tries = 0; tries < 5; tries++) answers.push(await refusalOf(enter(wrong)))
    }
    expect(answers.slice(0, 20)).not.toContain('rate-limited')
    expect(answers.slice(20)).toEqual(Array.from({ length: 5 }, () => 'rate-limited'))
    const last = await waitingBrowser({ clientAddress: '192.0.2.1' })
    expect(await refusalOf(last.enter(last.code))).toBe('rate-limited')
    const { token, request } = last
    expect((await openLink(test.app, { token, where: 'here' }, request)).body).toMatchObject({ signedIn: true })
  })

  it('are limited to thirty in ten minutes for one network, for any number of accounts', async () => {
    const answers: unknown[] = []
    for (let at = 0; at < 7; at++) {
      const { wrong, enter } = await waitingBrowser({ email: `person-${at}@example.test` })
      for (let tries = 0; tries < 5; tries++) answers.push(await refusalOf(enter(wrong)))
    }
    expect(answers.slice(0, 30)).not.toContain('rate-limited')
    expect(answers.slice(30)).toEqual(Array.from({ length: 5 }, () => 'rate-limited'))
  })

  it('are not counted when the code is right', async () => {
    for (let at = 0; at < 31; at++) {
      const { code, enter } = await waitingBrowser()
      expect((await enter(code)).body).toMatchObject({ status: 'signed-in' })
    }
  })
})
