import { beforeEach, describe, expect, it } from 'vitest'
import { findEmailLink, issueEmailLink } from '#fairway/server/domains/people'
import { issueIdentityCode, spendIdentityCode } from '#fairway/server/domains/oauth-server/hub/token'
import { answerTokenRequest, authenticateAccessToken } from '#fairway/server/domains/oauth-server'
import { endDevice, endOtherDevices } from '#fairway/server/domains/sessions'
import {
  confirmEmailLink,
  confirmPasswordReset,
  continueWaiting,
  mailAgain,
} from '#fairway/server/domains/sign-in/open-link'
import { changePassword } from '#fairway/server/domains/sign-in/password-sign-in'
import type { App } from '#fairway/server/kernel/app-context'
import type { Session } from '#fairway/shared/schemas/session'
import { useTestApp } from '../../../support/use-app'
import { refusalOf } from '../../../support/error-code'
import { aMember, signInAs } from '../../../support/members'
import { approve } from '../../../support/oauth-grant'
import { query } from '../../../support/query'

const PASSWORD = 'zebra quilt 7 lantern'
const OTHER = 'copper meadow 19 violin'
const request = { clientAddress: '192.0.2.1', userAgent: 'test' }
const test = useTestApp()
let app: App
let person: Session

beforeEach(async () => {
  app = test.app
  person = await aMember(app)
  await reset(PASSWORD)
})

const isRefused = (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error: { error?: string }) => error.error,
  )

const cookieOf = (header: string): string => header.split(';', 1)[0] ?? ''

async function aLink(purpose: 'magic-link' | 'password-reset') {
  const payload = { returnPath: '/', ...request }
  const { href, setCookie } = await issueEmailLink(app, { purpose, email: person.email, payload })
  const cookieHeader = cookieOf(setCookie)
  const link = await findEmailLink(app, new URL(href).searchParams.get('token') ?? '', cookieHeader)
  return { link, cookieHeader }
}

async function reset(password: string): Promise<void> {
  const { link } = await aLink('password-reset')
  await confirmPasswordReset(app, link, password)
}

/** Creates a session. Returns its cookie and the fields of a request from the browser that holds it. */
async function aSession(provider = 'password') {
  const cookie = cookieOf(await signInAs(app, { ...person, provider, provesAddress: true }))
  const [row] = await query(app, 'select id from sessions order by created_at desc, id desc limit 1')
  const { userId, email, name } = person
  return { cookie, asker: { ...request, userId, email, name, sessionId: String(row?.id) } }
}

const eventWith = (cookie: string) => ({ node: { req: { headers: { cookie } } }, context: { app } }) as never

async function anAccessToken(): Promise<string> {
  const { access_token: accessToken } = await answerTokenRequest(app, { form: await approve(app, person) })
  expect(await authenticateAccessToken(app, accessToken)).not.toBeNull()
  return accessToken
}

const change = async (more: { endGrants: boolean; currentPassword?: string; newPassword?: string }) => {
  const { asker } = await aSession()
  return changePassword(app, { currentPassword: PASSWORD, newPassword: OTHER, ...more }, asker)
}

describe('connected apps', () => {
  it('lose access when the account is recovered by a mailed link', async () => {
    const token = await anAccessToken()
    await reset(OTHER)
    expect(await authenticateAccessToken(app, token)).toBeNull()
    expect(await query(app, 'select revoked_reason from oauth_grants')).toEqual([
      { revoked_reason: 'account-recovered' },
    ])
  })

  it('are not connected by a session that ended in the meantime', async () => {
    const { asker } = await aSession()
    await reset(OTHER)
    expect(await isRefused(approve(app, person, { sessionId: asker.sessionId }))).toBe('access_denied')
    expect(await query(app, 'select id from oauth_grants')).toEqual([])
  })

  it('have no access while a required confirmation of the address is missing', async () => {
    const token = await anAccessToken()
    await query(app, 'update users set email_verified = 0')
    const strict = { ...app.config, signIn: { ...app.config.signIn, emailVerification: 'required' as const } }
    const fresh = { ...app, config: strict, memo: (_name: string, make: () => unknown) => make() } as App
    await expect(authenticateAccessToken(fresh, token)).rejects.toMatchObject({ code: 'email-not-verified' })
    expect(await authenticateAccessToken(app, token)).not.toBeNull()
  })

  it('lose access when the password changes, unless the person keeps them', async () => {
    const kept = await anAccessToken()
    await change({ endGrants: false })
    expect(await authenticateAccessToken(app, kept)).not.toBeNull()
    await change({ endGrants: true, currentPassword: OTHER, newPassword: PASSWORD })
    expect(await authenticateAccessToken(app, kept)).toBeNull()
  })
})

describe('changePassword', () => {
  it('keeps this session with its provider under a new token, and ends all others', async () => {
    await aSession()
    const { cookie, asker } = await aSession('github')
    const input = { currentPassword: PASSWORD, newPassword: OTHER, endGrants: true }
    const { setCookies } = await changePassword(app, input, asker)
    expect(setCookies).toHaveLength(1)
    expect(cookieOf(setCookies[0] ?? '')).not.toBe(cookie)
    expect(await query(app, 'select id, provider, proves_address from sessions')).toEqual([
      { id: asker.sessionId, provider: 'github', proves_address: 1 },
    ])
  })

  it.each([
    ['a wrong password', { currentPassword: OTHER }, 'invalid-credentials'],
    ['a new one that is too easy', { newPassword: 'password1234' }, 'password-too-common'],
    ['no session of ours', { sessionId: null }, 'unauthenticated'],
  ])('changes nothing with %s', async (_what, wrong, code) => {
    const { asker } = await aSession()
    await anAccessToken()
    const rows = () =>
      Promise.all([
        query(app, 'select * from accounts'),
        query(app, 'select * from sessions'),
        query(app, 'select * from oauth_grants'),
        query(app, 'select security_version from users'),
      ])
    const before = await rows()
    const input = { currentPassword: PASSWORD, newPassword: OTHER, endGrants: true, ...wrong }
    expect(await refusalOf(changePassword(app, input, { ...asker, ...wrong }))).toBe(code)
    expect(await rows()).toEqual(before)
  })

  it('invalidates links that were mailed before', async () => {
    const { link } = await aLink('password-reset')
    await change({ endGrants: true })
    expect(await refusalOf(confirmPasswordReset(app, link, PASSWORD))).toBe('link-used')
  })
})

describe('a browser approved by a link opened elsewhere', () => {
  async function anApproval() {
    const { link, cookieHeader } = await aLink('magic-link')
    await confirmEmailLink(app, { ...link, isSameBrowser: false }, { where: 'there' }, request)
    return (on: App = app) => continueWaiting(on, { ...request, cookieHeader })
  }

  it('is signed in within ten minutes, and not later', async () => {
    const later = (minutes: number): App => ({ ...app, now: () => new Date(Date.now() + minutes * 60_000) })
    const early = await anApproval()
    expect((await early(later(9))).body.status).toBe('signed-in')
    const late = await anApproval()
    expect((await late(later(10.1))).body.status).toBe('ended')
  })

  it('is signed in when it requests the email again', async () => {
    const { link, cookieHeader } = await aLink('magic-link')
    await confirmEmailLink(app, { ...link, isSameBrowser: false }, { where: 'there' }, request)
    const answer = await mailAgain(app, { ...request, cookieHeader })
    expect([answer.location, answer.waits, answer.setCookies.length]).toEqual(['/', undefined, 2])
  })

  it.each([
    ['the password is reset', () => reset(OTHER)],
    ['the password is changed', () => change({ endGrants: false })],
    [
      'all other sessions are ended',
      async () => {
        const { cookie } = await aSession()
        await endOtherDevices(eventWith(cookie))
      },
    ],
    [
      'another device is ended',
      async () => {
        const { asker: other } = await aSession()
        const { cookie } = await aSession()
        await endDevice(eventWith(cookie), other.sessionId)
      },
    ],
  ])('is not signed in after %s', async (_what, ends) => {
    const goOn = await anApproval()
    await ends()
    expect((await goOn()).body.status).toBe('ended')
    expect(await query(app, `select id from sessions where provider = 'magic-link'`)).toEqual([])
  })
})

describe('an identity hub code', () => {
  const input = () => ({
    userId: person.userId,
    provider: 'password',
    appId: 'mail',
    clientId: 'mail-client',
    redirectUri: 'https://mail.example.test/cb',
    codeChallenge: 'a'.repeat(43),
  })

  it('is invalid after a password reset, and is not issued for an ended session', async () => {
    const { asker } = await aSession()
    const code = await issueIdentityCode(app, input(), asker.sessionId)
    await reset(OTHER)
    expect(await spendIdentityCode(app, code)).toBeNull()
    expect(await refusalOf(issueIdentityCode(app, input(), asker.sessionId))).toBe('unauthenticated')
    expect(await query(app, "select * from fw_one_time where purpose = 'identity-code'")).toEqual([])
  })
})
