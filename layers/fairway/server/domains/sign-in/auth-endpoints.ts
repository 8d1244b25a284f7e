import type { H3Event } from 'h3'
import { z } from 'zod'
import { type LibraryAnswer, findEmailLink } from '#fairway/server/domains/people'
import { endSession, getSession, requireSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { parseInput } from '#fairway/server/kernel/http/parse-input'
import { requestInfo } from '#fairway/server/kernel/http/request-info'
import { sameOriginPath } from '#fairway/shared/return-path'
import * as factors from './factor-sign-in'
import * as password from './password-sign-in'
import { passkeyInput } from './passkeys/passkey-input'
import { twoFactorInput } from './two-factor/two-factor-input'
import { confirmEmailLink, confirmLinkSchema, continueWaiting } from './confirm-email-link'
import { magicLinkSchema, requestMagicLink } from './magic-link'
import { requestPasswordReset, requestResetSchema } from './password-reset'
import { providerSchema, startProvider } from './provider-sign-in'
import { resendVerification, resendVerificationSchema } from './verification'
import type { Visitor } from './visitor'

type Endpoint = (event: H3Event, body: Record<string, unknown>) => Promise<LibraryAnswer>

/** The endpoints below `/_fw/auth`; whatever is not here does not exist, whatever else the library could do. */
const endpoints = new Map<string, Endpoint>([
  ['sign-in/email', anonymous(password.signInSchema, password.signIn)],
  ['passkey/options', anonymous(passkeyInput.options, factors.passkeyOptions)],
  ['passkey/verify', anonymous(passkeyInput.verify, factors.passkeySignIn)],
  ['two-factor', anonymous(twoFactorInput.code, factors.codeSignIn)],
  ['sign-up/email', anonymous(password.signUpSchema, password.signUp)],
  ['sign-in/social', anonymous(providerSchema, startProvider)],
  ['sign-in/magic-link', anonymous(magicLinkSchema, requestMagicLink)],
  ['magic-link/verify', anonymous(confirmLinkSchema, confirmLink)],
  ['verify-email', anonymous(confirmLinkSchema, confirmLink)],
  ['send-verification-email', resend],
  ['request-password-reset', anonymous(requestResetSchema, requestPasswordReset)],
  ['reset-password', anonymous(confirmLinkSchema.required({ newPassword: true }), confirmLink)],
  ['waiting', anonymous(z.object({}), waiting)],
  ['change-password', signedIn(password.changePasswordSchema, password.changePassword)],
  ['update-user', signedIn(password.updateUserSchema, password.updateUser)],
  ['sign-out', signOut],
])

const CALLBACK_PARAMETERS = ['callbackURL', 'errorCallbackURL', 'newUserCallbackURL', 'redirectTo']

/** Finds the endpoint of a path below `/_fw/auth`, or undefined. */
export const findAuthEndpoint = (path: string): Endpoint | undefined => endpoints.get(path)

/** Throws `invalid-callback` when a callback parameter of the body or the query leaves this origin. */
export function checkCallbacks(values: Record<string, unknown>, baseUrl: string): void {
  for (const name of CALLBACK_PARAMETERS) {
    if (!Object.hasOwn(values, name)) continue
    if (sameOriginPath(values[name], baseUrl) === undefined) {
      throw new AppError('invalid-callback', {
        errors: [{ path: name, message: 'This is not a page of this application.' }],
      })
    }
  }
}

type Run<T extends z.ZodType> = (
  app: ReturnType<typeof getApp>,
  input: z.output<T>,
  asker: ReturnType<typeof requestInfo> & Asker,
) => Promise<LibraryAnswer>

interface Asker {
  userId: string
  email: string
  name: string
  /** Null where the session is not one of ours. */
  sessionId: string | null
}

const NOBODY: Asker = { userId: '', email: '', name: '', sessionId: null }

function anonymous<T extends z.ZodType>(schema: T, run: Run<T>): Endpoint {
  return (event, body) => run(getApp(event), parseInput(schema, body), { ...requestInfo(event), ...NOBODY })
}

function signedIn<T extends z.ZodType>(schema: T, run: Run<T>): Endpoint {
  return async (event, body) => {
    const { userId, email, name, id: sessionId } = await requireSession(event)
    return run(getApp(event), parseInput(schema, body), { ...requestInfo(event), userId, email, name, sessionId })
  }
}

async function confirmLink(
  app: ReturnType<typeof getApp>,
  input: z.output<typeof confirmLinkSchema>,
  visitor: Visitor,
): Promise<LibraryAnswer> {
  const link = await findEmailLink(app, input.token, visitor.cookieHeader)
  const { setCookies, location } = await confirmEmailLink(app, link, input, visitor)
  return { body: { status: true, signedIn: location !== undefined, location }, setCookies }
}

async function resend(event: H3Event, body: Record<string, unknown>): Promise<LibraryAnswer> {
  const input = parseInput(resendVerificationSchema, body)
  const session = await getSession(event)
  return resendVerification(getApp(event), input, requestInfo(event), session?.email === input.email)
}

async function waiting(app: ReturnType<typeof getApp>, _input: object, visitor: Visitor): Promise<LibraryAnswer> {
  const { body, setCookies } = await continueWaiting(app, visitor)
  return { body, setCookies }
}

async function signOut(event: H3Event): Promise<LibraryAnswer> {
  await endSession(event)
  return { body: { success: true }, setCookies: [] }
}
