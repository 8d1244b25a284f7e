import { afterEach, beforeEach, expect, it } from 'vitest'
import { endTwoFactor, activateTwoFactor, signInWithCode, startTwoFactor } from '#fairway/server/domains/sign-in'
import { findEmailLink, issueEmailLink } from '#fairway/server/domains/people'
import { confirmPasswordReset } from '#fairway/server/domains/sign-in/open-link'
import { signIn } from '#fairway/server/domains/sign-in/password-sign-in'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { createTestApp, type TestApp } from '../../../support/app'
import { currentCodes } from '../../../support/authenticator'
import { refusalOf } from '../../../support/error-code'
import { aMember } from '../../../support/members'
import { countRows } from '../../../support/query'

const PASSWORD = 'zebra quilt 7 lantern'
const request = { clientAddress: '192.0.2.1', userAgent: 'test' }
let test: TestApp
beforeEach(async () => {
  test = await createTestApp()
})
afterEach(() => test.close())

it('a pending two-factor sign-in ends when two-factor authentication is turned off', async () => {
  const { app } = test
  const member = await aMember(app)
  const { userId, email } = member
  const payload = { returnPath: '/', ...request }
  const { href } = await issueEmailLink(app, { purpose: 'password-reset', email, payload })
  const token = new URL(href).searchParams.get('token') ?? ''
  await confirmPasswordReset(app, await findEmailLink(app, token, undefined), PASSWORD)
  const { secret } = await startTwoFactor(app, member, PASSWORD)
  const codes = await activateTwoFactor(app, { userId, sessionId: null }, currentCodes(secret)[1] ?? '')
  const thrown = await signIn(app, { email, password: PASSWORD }, request).catch((error: unknown) => error)
  const cookie = thrown instanceof AppError ? thrown.headers['set-cookie'] : undefined
  const open = `fw_one_time where purpose = 'second-factor-sign-in' and used_at is null and subject = ?`
  expect(await countRows(app, open, [userId])).toBe(1)
  await endTwoFactor(app, userId, PASSWORD)
  expect(await countRows(app, open, [userId])).toBe(0)
  const late = { ...request, cookieHeader: cookie?.split(';', 1)[0] }
  expect(await refusalOf(signInWithCode(app, { code: codes[0] ?? '' }, late))).toBe('second-factor-ended')
})
