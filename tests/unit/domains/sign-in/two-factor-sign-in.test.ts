import { describe, expect, it } from 'vitest'
import { answerTokenRequest, authenticateAccessToken, makePersonalToken } from '#fairway/server/domains/oauth-server'
import { findCookieSession } from '#fairway/server/domains/sessions/cookie-session'
import {
  endTwoFactor,
  activateTwoFactor,
  renewBackupCodes,
  signInWithCode,
  startTwoFactor,
} from '#fairway/server/domains/sign-in'
import { findEmailLink, issueEmailLink } from '#fairway/server/domains/people'
import { confirmPasswordReset } from '#fairway/server/domains/sign-in/open-link'
import { proveSecondFactor } from '#fairway/server/domains/sign-in/two-factor/second-factor'
import { signIn } from '#fairway/server/domains/sign-in/password-sign-in'
import { createKeyRing } from '#fairway/server/kernel/crypto/seal'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { useTestApp } from '../../../support/use-app'
import { currentCodes, wrongCode } from '../../../support/authenticator'
import { refusalOf } from '../../../support/error-code'
import { aMember, signInAs } from '../../../support/members'
import { approve } from '../../../support/oauth-grant'
import { countRows, query } from '../../../support/query'
import { OTHER_SECRET } from '../../../support/secrets'

const PASSWORD = 'zebra quilt 7 lantern'
const request = { clientAddress: '192.0.2.1', userAgent: 'test' }
const test = useTestApp()

/** A person with a password and the secret of their authenticator app, which is not active yet. */
async function aPerson() {
  const { app } = test
  const member = await aMember(app)
  await setPassword(member.email, PASSWORD)
  return { member, secret: (await startTwoFactor(app, member, PASSWORD)).secret }
}

async function setPassword(email: string, password: string): Promise<void> {
  const { app } = test
  const { href } = await issueEmailLink(app, {
    purpose: 'password-reset',
    email,
    payload: { returnPath: '/', ...request },
  })
  const token = new URL(href).searchParams.get('token') ?? ''
  await confirmPasswordReset(app, await findEmailLink(app, token, undefined), password)
}

const sessionOf = async (cookie: string) => (await findCookieSession(test.app, cookie))?.session
const cookieOf = (header: string | undefined) => header?.split(';', 1)[0] ?? ''

describe('turning on two-factor authentication', () => {
  it('ends other sessions, apps and API tokens, and counts this session as proved', async () => {
    const { app } = test
    const { member, secret } = await aPerson()
    const [own, other] = [cookieOf(await signInAs(app, member)), cookieOf(await signInAs(app, member))]
    const session = await sessionOf(own)
    const { token } = await makePersonalToken(app, session!, {
      name: 'Script',
      scopes: ['mcp:read'],
      expiresInDays: 30,
    })
    const host = await answerTokenRequest(app, { form: await approve(app, member) })
    await activateTwoFactor(app, { userId: member.userId, sessionId: session!.id }, currentCodes(secret)[1])
    expect(await sessionOf(other)).toBeUndefined()
    expect(await sessionOf(own)).toMatchObject({ userId: member.userId, provedSecondFactor: true })
    for (const bearer of [token, host.access_token]) expect(await authenticateAccessToken(app, bearer)).toBeNull()
  })
})

describe('POST /_fw/two-factor/proof', () => {
  it('opens an organization that requires a second factor to this session alone', async () => {
    const { app } = test
    const { member, secret } = await aPerson()
    await query(app, 'update organizations set second_factor_since = 0, second_factor_grace_days = 0')
    await query(app, 'update org_members set joined_at = 0')
    await activateTwoFactor(app, { userId: member.userId, sessionId: null }, currentCodes(secret)[0])
    const [own, other] = [cookieOf(await signInAs(app, member)), cookieOf(await signInAs(app, member))]
    const { id: sessionId, userId } = (await sessionOf(own))!
    expect(await sessionOf(own)).toMatchObject({ orgId: null, secondFactor: { isOver: true, canProve: true } })
    const wrong = proveSecondFactor(app, { userId, sessionId }, wrongCode(secret), request)
    expect(await refusalOf(wrong)).toBe('invalid-code')
    expect((await sessionOf(own))?.orgId).toBeNull()
    await proveSecondFactor(app, { userId, sessionId }, currentCodes(secret)[1], request)
    expect(await sessionOf(own)).toMatchObject({ orgId: member.orgId, provedSecondFactor: true })
    expect((await sessionOf(other))?.orgId).toBeNull()
  })
})

it('a sign-in with a code counts as proved', async () => {
  const { app } = test
  const { member, secret } = await aPerson()
  await activateTwoFactor(app, { userId: member.userId, sessionId: null }, currentCodes(secret)[0])
  const cookieHeader = await waitingCookie(member.email)
  const { setCookies } = await signInWithCode(app, { code: currentCodes(secret)[1] }, { ...request, cookieHeader })
  expect(await sessionOf(cookieOf(setCookies[0]))).toMatchObject({ provider: 'password', provedSecondFactor: true })
})

/** Signs in with the password; returns the cookie that waits for the code. */
async function waitingCookie(email: string, from = request): Promise<string> {
  const thrown = await signIn(test.app, { email, password: PASSWORD }, from).catch((error: unknown) => error)
  return cookieOf(thrown instanceof AppError ? thrown.headers['set-cookie'] : undefined)
}

it('a pending two-factor sign-in ends when two-factor authentication is turned off', async () => {
  const { app } = test
  const { member, secret } = await aPerson()
  const { userId, email } = member
  const codes = await activateTwoFactor(app, { userId, sessionId: null }, currentCodes(secret)[1] ?? '')
  const cookieHeader = await waitingCookie(email)
  const open = `fw_one_time where purpose = 'second-factor-sign-in' and used_at is null and subject = ?`
  expect(await countRows(app, open, [userId])).toBe(1)
  await endTwoFactor(app, userId, PASSWORD)
  expect(await countRows(app, open, [userId])).toBe(0)
  const late = { ...request, cookieHeader }
  expect(await refusalOf(signInWithCode(app, { code: codes[0] ?? '' }, late))).toBe('second-factor-ended')
})

describe('wrong codes from strangers who know the password', () => {
  const from = (clientAddress: string) => ({ ...request, clientAddress })
  const enter = async (email: string, code: string, clientAddress: string) => {
    const cookieHeader = await waitingCookie(email, from(clientAddress))
    return refusalOf(signInWithCode(test.app, { code }, { ...from(clientAddress), cookieHeader }))
  }
  const guess = async (email: string, code: string, count: number, networkOf: (at: number) => string) => {
    const answers = new Set<unknown>()
    for (let at = 0; at < count; at++) answers.add(await enter(email, code, networkOf(at)))
    return answers
  }

  it('do not lock the owner out on another network', async () => {
    const { member, secret } = await aPerson()
    await activateTwoFactor(test.app, { userId: member.userId, sessionId: null }, currentCodes(secret)[0])
    expect(await guess(member.email, wrongCode(secret), 12, () => '198.51.100.1')).toContain('rate-limited')
    expect(await enter(member.email, currentCodes(secret)[1], '203.0.113.9')).toBe('done')
  })

  it('from many networks lock only unknown networks, until there is a new password', async () => {
    const { member, secret } = await aPerson()
    const { userId, email } = member
    await activateTwoFactor(test.app, { userId, sessionId: null }, currentCodes(secret)[0])
    await signInAs(test.app, { ...member, provedSecondFactor: true, ipAddress: '203.0.113.9' })
    expect(await guess(email, wrongCode(secret), 61, at => `198.51.100.${at}`)).toContain('rate-limited')
    expect(await enter(email, currentCodes(secret)[1], '203.0.113.8')).toBe('rate-limited')
    expect(await enter(email, currentCodes(secret)[1], '203.0.113.9')).toBe('done')
    await setPassword(email, PASSWORD)
    expect(await enter(email, currentCodes(secret)[2], '203.0.113.8')).toBe('done')
  })

  it('count for a network where only a session without proof is open', async () => {
    const { member, secret } = await aPerson()
    await activateTwoFactor(test.app, { userId: member.userId, sessionId: null }, currentCodes(secret)[0])
    await signInAs(test.app, { ...member, ipAddress: '198.51.100.1' })
    await guess(member.email, wrongCode(secret), 61, at => `198.51.100.${at + 2}`)
    expect(await enter(member.email, currentCodes(secret)[1], '198.51.100.1')).toBe('rate-limited')
  })
})

describe('two-factor authentication without its root secret', () => {
  const withLostSecret = () => ({ ...test.app, config: { ...test.app.config, keys: createKeyRing([OTHER_SECRET]) } })
  const enter = async (email: string, code: string) => {
    const lost = withLostSecret()
    const thrown = await signIn(lost, { email, password: PASSWORD }, request).catch((error: unknown) => error)
    const cookieHeader = cookieOf(thrown instanceof AppError ? thrown.headers['set-cookie'] : undefined)
    return refusalOf(signInWithCode(lost, { code }, { ...request, cookieHeader }))
  }

  it('says so for codes and old backup codes, accepts new backup codes, and can be turned off by the password', async () => {
    const { member, secret } = await aPerson()
    const { userId, email } = member
    const [old = ''] = await activateTwoFactor(test.app, { userId, sessionId: null }, currentCodes(secret)[0])
    expect(await enter(email, currentCodes(secret)[1])).toBe('two-factor-unreadable')
    expect(await enter(email, old)).toBe('two-factor-unreadable')
    const [renewed = ''] = await renewBackupCodes(withLostSecret(), userId, PASSWORD)
    expect(await enter(email, renewed)).toBe('done')
    await endTwoFactor(withLostSecret(), userId, PASSWORD)
    expect(await countRows(test.app, 'two_factor')).toBe(0)
  })

  it('begins a setup again that waits for its first code', async () => {
    const { member, secret } = await aPerson()
    const setup = activateTwoFactor(
      withLostSecret(),
      { userId: member.userId, sessionId: null },
      currentCodes(secret)[1],
    )
    expect(await refusalOf(setup)).toBe('two-factor-unreadable')
    const again = await startTwoFactor(withLostSecret(), member, PASSWORD)
    const who = { userId: member.userId, sessionId: null }
    expect(await activateTwoFactor(withLostSecret(), who, currentCodes(again.secret)[1])).toHaveLength(10)
  })
})
