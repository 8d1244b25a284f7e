// Sign-in, sign-up and password changes.
import { z } from 'zod'
import {
  acceptShownTerms,
  checkPassword,
  findPerson,
  mayOpen,
  replacePassword,
  callLibrary,
  createPasswordAccount,
  confirmPassword,
  findUserByPassword,
  getPasswordHasher,
  hasPassword,
  mintSession,
  noteAccountEvent,
  renewedSession,
  tellOwner,
  endEmailLinks,
  hasSessionFrom,
  rememberLanguage,
} from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { DEV_EMAIL } from '#fairway/server/kernel/config/config'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import type { RequestInfo } from '#fairway/server/kernel/http/request-info'
import { rateLimit, resetRateLimit, refundRateLimit } from '../../kernel/limits/rate-limit'
import { limits } from '../../kernel/limits/limits'
import { checkSecondFactor, forgetWrongCodes } from './two-factor/second-factor'
import { openInvitedAccount } from './invited'
import { mailVerification, signUpForVerification } from './request-link'
import { offered } from '#fairway/server/kernel/messages'
import { emailSchema } from '#fairway/shared/schemas/email'
import { nameSchema } from '#fairway/shared/schemas/name'
import type { SignInAnswer } from './sign-in-answer'

const languageCode = z
  .string()
  .refine(code => offered.languages.some(language => language.code === code), 'There is no such language.')
const passwordText = z.string().min(1).max(1024)
const nameText = nameSchema(100)

export const signInSchema = z.object({ email: emailSchema, password: passwordText, callbackURL: z.string().optional() })
export const signUpSchema = signInSchema.extend({
  name: nameText,
  /** The version of the terms that the person accepted. */
  termsVersion: z.string().max(64).optional(),
})
export const changePasswordSchema = z.object({
  currentPassword: passwordText,
  newPassword: passwordText,
  /** Whether connected apps end too. Default: true. */
  endGrants: z.boolean().default(true),
})
export const setPasswordSchema = z.object({ newPassword: passwordText })
export const updateUserSchema = z
  .object({ name: nameText.optional(), language: languageCode.optional() })
  .refine(({ name, language }) => name !== undefined || language !== undefined, 'Say what is to change.')

/**
 * Signs a person in by password. A wrong password and an unknown address both throw `invalid-credentials`. For the right
 * password of an unconfirmed account, mails the confirmation and throws `email-not-verified`. Throws `second-factor-required`
 * for people with two-factor authentication, and `sign-in-busy` while too many people sign in at once.
 */
export async function signIn(
  app: App,
  input: z.output<typeof signInSchema>,
  request: RequestInfo,
): Promise<SignInAnswer> {
  // Must run before counting: a request that is not checked must not use up an attempt.
  getPasswordHasher(app).checkRoom()
  const attempt = await countSignIn(app, input.email, request.clientAddress)
  refuseDevAccount(app, input.email)
  const user = await findUserByPassword(app, input).catch(async (error: unknown) => {
    // The queue of imported hashes was full, so the password was not checked.
    if (error instanceof AppError && error.code === 'sign-in-busy') await attempt.takeBack()
    throw error
  })
  await attempt.succeeded()
  if (!user.emailVerified && app.config.signIn.emailVerification === 'required') {
    noteAccountEvent(app, { kind: 'sign-in-blocked', userId: user.id, reason: 'email-not-verified' })
    throw await withVerification(app, input, request)
  }
  const { id: userId, email, securityVersion } = user
  const proved = { userId, securityVersion, provider: 'password', provesAddress: false }
  await checkSecondFactor(app, proved)
  const { clientAddress: ipAddress, userAgent, language, cookieHeader } = request
  const { cookie } = await mintSession(app, { ...proved, email, ipAddress, userAgent, language, cookieHeader })
  const { kind: _kind, securityVersion: _version, claimSince: _claim, ...shown } = user
  return { body: { user: shown }, setCookies: [cookie] }
}

// The password was right: the confirmation is mailed again, and this browser is signed in as soon as its link is opened.
async function withVerification(app: App, input: { email: string; callbackURL?: string }, request: RequestInfo) {
  const setCookie = await mailVerification(app, { ...input, knowsPassword: true }, request)
  return new AppError('email-not-verified', {
    detail: 'A mail with a link is on its way.',
    headers: setCookie ? { 'set-cookie': setCookie } : {},
  })
}

/**
 * Creates an account with a password and signs it in, or mails the confirmation where that is required. Throws
 * `sign-up-disabled`, `account-exists` and the codes of the password rules.
 */
export async function signUp(
  app: App,
  input: z.output<typeof signUpSchema>,
  request: RequestInfo,
): Promise<SignInAnswer> {
  await rateLimit(app, limits.signUpPerAddress, addressKey(request.clientAddress))
  if (!app.config.signIn.passwordSignUp) throw new AppError('sign-up-disabled')
  await checkPassword(app, input.password, input)
  if (input.email === DEV_EMAIL) throw new AppError('account-exists')
  const invited = await openInvitedAccount(app, input, request)
  if (invited) return invited
  if (app.config.signIn.emailVerification === 'required') return signUpForVerification(app, input, request)
  const { email, password, name } = input
  if (await findPerson(app, { email })) throw new AppError('account-exists')
  try {
    const user = await createPasswordAccount(app, { email, password, name })
    const { id: userId } = user
    await acceptShownTerms(app, userId, input.termsVersion)
    const { clientAddress: ipAddress, userAgent, language, cookieHeader } = request
    const proved = { userId, securityVersion: 0, provider: 'password', provesAddress: false }
    const { cookie } = await mintSession(app, { ...proved, email, ipAddress, userAgent, language, cookieHeader })
    return { body: { user }, setCookies: [cookie] }
  } catch (error) {
    // Of several concurrent sign-ups the unique index accepts one.
    if (await findPerson(app, { email: input.email })) throw new AppError('account-exists', { cause: error })
    throw error
  }
}

/** A request of a signed-in person. */
export interface SignedInRequest extends RequestInfo {
  userId: string
  email: string
  name: string
  /** Null for sessions without a row. */
  sessionId: string | null
  /** Whether this session has proved a second factor. */
  provedSecondFactor?: boolean
}

/** The cookies of the session that a change renews. */
export type RenewedSession = Pick<SignInAnswer, 'setCookies'>

/**
 * Changes the password of the signed-in person, who must enter the old one. Ends every other session and open link, and
 * connected apps unless `endGrants` is false. All checks run before any change. Throws `invalid-credentials`, `no-password`,
 * `unauthenticated` for sessions without a row, `credentials-changed`, and the codes of the password rules.
 */
export async function changePassword(
  app: App,
  input: z.output<typeof changePasswordSchema>,
  request: SignedInRequest,
): Promise<RenewedSession> {
  const { userId, email, sessionId, provedSecondFactor } = request
  await rateLimit(app, limits.changePasswordPerAccount, email)
  await checkPassword(app, input.newPassword, request)
  const securityVersion = await confirmPassword(app, userId, input.currentPassword)
  if (sessionId === null) throw new AppError('unauthenticated')
  const passwordHash = await getPasswordHasher(app).hash(input.newPassword)
  const { token, expiresAt, cookie } = renewedSession(app)
  await replacePassword(app, {
    userId,
    passwordHash,
    securityVersion,
    keep: { sessionId, token, expiresAt },
    endGrants: input.endGrants ? 'password-changed' : undefined,
  })
  await endEmailLinks(app, email)
  await resetRateLimit(app, limits.changePasswordPerAccount, email)
  // In any other session, somebody who knows the password could begin new counts of wrong codes.
  if (provedSecondFactor) await forgetWrongCodes(app, userId)
  tellOwner(app, userId, 'password-changed')
  return { setCookies: [cookie] }
}

/** Changes the name of the signed-in person, or the language of their mails. */
export async function updateUser(
  app: App,
  { name, language }: z.output<typeof updateUserSchema>,
  request: SignedInRequest,
): Promise<RenewedSession> {
  if (language) await rememberLanguage(app, request.userId, language)
  if (name === undefined) return { setCookies: [] }
  const { setCookies } = await callLibrary(app, { ...request, path: '/update-user', body: { name } })
  return { setCookies }
}

/**
 * Sets a first password for the signed-in person and ends every other session. The caller has checked that the sign-in is
 * recent. Throws `password-exists`, `unauthenticated` for sessions without a row, `credentials-changed`, and the codes of the
 * password rules.
 */
export async function setPassword(
  app: App,
  { newPassword }: z.output<typeof setPasswordSchema>,
  { userId, email, name, sessionId }: Pick<SignedInRequest, 'userId' | 'email' | 'name' | 'sessionId'>,
): Promise<RenewedSession> {
  await checkPassword(app, newPassword, { email, name })
  // Must be read before the check below: a password set in the meantime raises the security version.
  const person = await findPerson(app, { userId })
  if (!person || sessionId === null) throw new AppError('unauthenticated')
  if (await hasPassword(app, userId)) throw new AppError('password-exists')
  const passwordHash = await getPasswordHasher(app).hash(newPassword)
  const { token, expiresAt, cookie } = renewedSession(app)
  const { securityVersion } = person
  await replacePassword(app, { userId, passwordHash, securityVersion, keep: { sessionId, token, expiresAt } })
  noteAccountEvent(app, { kind: 'password-set', userId })
  return { setCookies: [cookie] }
}

/** Blocked sign-ins are recorded at most once a minute for each account and address. */
const MINUTE_IN_MS = 60_000

function refuseDevAccount(app: App, email: string): void {
  const identity = { email, kind: 'person', emailVerified: true, provider: 'password' }
  if (!mayOpen(identity, app.config)) throw new AppError('dev-account-refused')
}

interface Attempt {
  /** To call when the password was right. */
  succeeded(): Promise<void>
  /** To call when it was not checked. */
  takeBack(): Promise<void>
}

/**
 * Counts one password attempt of an account, before hashing. Throws `rate-limited`. All unknown networks share one count per
 * account, so guessing from many networks has no advantage. A network where the account is signed in has a separate count, so
 * strangers cannot lock the owner out there.
 */
async function countSignIn(app: App, email: string, clientAddress: string): Promise<Attempt> {
  const network = addressKey(clientAddress)
  const blocked = (error: unknown): never => {
    noteAccountEvent(app, { kind: 'sign-in-blocked', email, reason: 'rate-limited', quietForInMs: MINUTE_IN_MS })
    throw error
  }
  await rateLimit(app, limits.signInPerAddress, network).catch(blocked)
  const isKnown = app.config.rateLimits && (await hasSessionFrom(app, { email }, network))
  const subject = isKnown ? `${email} ${network}` : email
  await rateLimit(app, limits.signInPerAccount, subject).catch(blocked)
  const refundNetwork = () => refundRateLimit(app, limits.signInPerAddress, network)
  return {
    async succeeded() {
      await resetRateLimit(app, limits.signInPerAccount, subject)
      await refundNetwork()
    },
    async takeBack() {
      await refundRateLimit(app, limits.signInPerAccount, subject)
      await refundNetwork()
    },
  }
}
