import { z } from 'zod'
import {
  checkPassword,
  findPerson,
  mayOpen,
  replacePassword,
  callLibrary,
  confirmPassword,
  findUserByPassword,
  getPasswordHasher,
  type LibraryAnswer,
  mintSession,
  renewedSession,
  tellOwner,
  endEmailLinks,
} from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { DEV_EMAIL } from '#fairway/server/kernel/config/config'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { rateLimit, resetRateLimit } from '../../kernel/limits/rate-limit'
import { limits } from '../../kernel/limits/limits'
import { checkSecondFactor } from './two-factor/second-factor-sign-in'
import { countSignIn } from './count-sign-in'
import { mailVerification, signUpForVerification } from './verification'
import { emailSchema, type Visitor } from './visitor'

const passwordText = z.string('Enter a password.').min(1, 'Enter a password.').max(1024, 'This is too long.')
const nameText = z
  .string('Enter your name.')
  .trim()
  .min(1, 'Enter your name.')
  .max(100, 'Use at most 100 characters.')
  .regex(/^[^\p{Cc}]*$/u, 'Control characters are not accepted.')

export const signInSchema = z.object({ email: emailSchema, password: passwordText, callbackURL: z.string().optional() })
export const signUpSchema = signInSchema.extend({ name: nameText })
export const changePasswordSchema = z.object({
  currentPassword: passwordText,
  newPassword: passwordText,
  /** Whether connected apps end too; whoever says nothing wants them ended. */
  endGrants: z.boolean().default(true),
})
const newUserSchema = z.object({ id: z.string() })
export const updateUserSchema = z.object({ name: nameText })

/**
 * Signs a person in by password; a wrong password and an unknown address give the same `invalid-credentials`. Throws
 * `email-not-verified` for the right password of an unconfirmed account, and mails the confirmation; throws
 * `second-factor-required` for those who have two-factor sign-in.
 */
export async function signIn(app: App, input: z.output<typeof signInSchema>, visitor: Visitor): Promise<LibraryAnswer> {
  const succeeded = await countSignIn(app, input.email, visitor.clientAddress)
  refuseDevAccount(app, input.email)
  const user = await findUserByPassword(app, input)
  await succeeded()
  if (!user.emailVerified && app.config.signIn.emailVerification === 'required') {
    throw await withVerification(app, input, visitor)
  }
  const { id: userId, email, securityVersion } = user
  const proved = { userId, securityVersion, provider: 'password', provesAddress: false }
  await checkSecondFactor(app, proved)
  const { clientAddress: ipAddress, userAgent } = visitor
  const { cookie } = await mintSession(app, { ...proved, email, ipAddress, userAgent })
  const { kind: _kind, securityVersion: _version, claimSince: _claim, ...shown } = user
  return { body: { user: shown }, setCookies: [cookie] }
}

// The password was right: the confirmation is mailed again, and this browser goes on as soon as it was opened.
async function withVerification(app: App, input: { email: string; callbackURL?: string }, visitor: Visitor) {
  const setCookie = await mailVerification(app, { ...input, knowsPassword: true }, visitor)
  return new AppError('email-not-verified', {
    detail: 'A mail with a link is on its way.',
    headers: setCookie ? { 'set-cookie': setCookie } : {},
  })
}

/** Creates an account with a password and signs it in, or mails the confirmation where that is required; throws `sign-up-disabled`, `account-exists` and the password rules' codes. */
export async function signUp(app: App, input: z.output<typeof signUpSchema>, visitor: Visitor): Promise<LibraryAnswer> {
  await rateLimit(app, limits.signUpPerAddress, addressKey(visitor.clientAddress))
  if (!app.config.signIn.passwordSignUp) throw new AppError('sign-up-disabled')
  await checkPassword(input.password, input, app.config)
  if (input.email === DEV_EMAIL) throw new AppError('account-exists')
  if (app.config.signIn.emailVerification === 'required') return signUpForVerification(app, input, visitor)
  const { email, password, name } = input
  try {
    const answer = await callLibrary(app, { ...visitor, path: '/sign-up/email', body: { email, password, name } })
    const { id: userId } = newUserSchema.parse(answer.body.user)
    const { clientAddress: ipAddress, userAgent } = visitor
    const proved = { userId, securityVersion: 0, provider: 'password', provesAddress: false }
    const { cookie } = await mintSession(app, { ...proved, email, ipAddress, userAgent })
    return { ...answer, setCookies: [cookie] }
  } catch (error) {
    // Of several sign-ups at once the unique index lets one through; the others fail in the library's own ways, or get an id that is nobody's.
    if (await findPerson(app, { email: input.email })) throw new AppError('account-exists', { cause: error })
    throw error
  }
}

/**
 * Changes the password of the signed-in person, who must know the old one. Every other session and every open link ends, and connected apps too unless
 * `endGrants` is false. Everything is checked before anything changes; throws `invalid-credentials`, `no-password`,
 * `unauthenticated` where no session of ours asks, `credentials-changed`, and the password rules' codes.
 */
export async function changePassword(
  app: App,
  input: z.output<typeof changePasswordSchema>,
  asker: Visitor & { userId: string; email: string; name: string; sessionId: string | null },
): Promise<LibraryAnswer> {
  const { userId, email, sessionId } = asker
  await rateLimit(app, limits.changePasswordPerAccount, email)
  await checkPassword(input.newPassword, asker, app.config)
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
  tellOwner(app, userId, 'password-changed')
  return { body: { status: true }, setCookies: [cookie] }
}

/** Changes the name of the signed-in person. */
export const updateUser = (app: App, input: z.output<typeof updateUserSchema>, visitor: Visitor) =>
  callLibrary(app, { ...visitor, path: '/update-user', body: input })

function refuseDevAccount(app: App, email: string): void {
  const identity = { email, kind: 'person', emailVerified: true, provider: 'password' }
  if (!mayOpen(identity, app.config)) throw new AppError('dev-account-refused')
}
