// Handles invitations opened while signed out: the mailed link proves the address, once, for a new account.
import { z } from 'zod'
import {
  acceptShownTerms,
  findPerson,
  getPasswordHasher,
  leadOn,
  mintSession,
  verifyEmail,
} from '#fairway/server/domains/people'
import { findOpenInvitation } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import type { RequestInfo } from '#fairway/server/kernel/http/request-info'
import { INVITATION_PAGE } from '#fairway/shared/paths'
import { safeReturnPath } from '#fairway/shared/return-path'
import { emailSchema } from '#fairway/shared/schemas/email'
import { optionalNameSchema } from '#fairway/shared/schemas/name'
import { limits } from '../../kernel/limits/limits'
import { rateLimit } from '../../kernel/limits/rate-limit'
import { requestMagicLink } from './request-link'
import type { SignInAnswer } from './sign-in-answer'

/** The invited address, the inviting person and the organization. */
export interface Invited {
  email: string
  by: string
  orgName: string
  /** Whether the link opens a new account: it was mailed, and the address has no account. */
  isNew: boolean
}

/** The open invitation in a return path; undefined for every other path. */
export async function findInvited(app: App, callback: string | undefined): Promise<Invited | undefined> {
  const url = new URL(safeReturnPath(callback, app.config.baseUrl), app.config.baseUrl)
  const { id, token } = Object.fromEntries(url.searchParams)
  if (url.pathname !== INVITATION_PAGE || !id || !token) return undefined
  const invitation = await findOpenInvitation(app, { id, token })
  if (!invitation) return undefined
  const { email, invitedBy: by, orgName, provesAddress } = invitation
  return { email, by, orgName, isNew: provesAddress && !(await findPerson(app, { email })) }
}

interface NewAccount {
  email: string
  callbackURL?: string
  name?: string
  password?: string
  termsVersion?: string
}

/**
 * Creates and signs in the account of an invited address without one. Undefined for every other address and without the mailed
 * link.
 */
export async function openInvitedAccount(
  app: App,
  input: NewAccount,
  { clientAddress: ipAddress, userAgent, language, cookieHeader }: RequestInfo,
): Promise<SignInAnswer | undefined> {
  const { email, callbackURL, name, password, termsVersion } = input
  const invited = await findInvited(app, callbackURL)
  if (!invited?.isNew || invited.email !== email) return undefined
  const passwordHash = password === undefined ? undefined : await getPasswordHasher(app).hash(password)
  // No account has this version, so the link fails for an account that was created in the meantime.
  const person = await verifyEmail(app, { email, name, passwordHash, securityVersion: -1 })
  await acceptShownTerms(app, person.userId, termsVersion)
  const provider = password === undefined ? 'magic-link' : 'password'
  const session = await mintSession(app, {
    ...person,
    provider,
    provesAddress: true,
    ipAddress,
    userAgent,
    language,
    cookieHeader,
  })
  const location = leadOn(session, safeReturnPath(callbackURL, app.config.baseUrl))
  return { body: { status: true, signedIn: true, location }, setCookies: [session.cookie], location }
}

export const withoutPasswordSchema = z.object({
  email: emailSchema,
  name: optionalNameSchema(100).optional(),
  callbackURL: z.string().optional(),
  termsVersion: z.string().max(64).optional(),
})

/**
 * Opens an account without a password: at once for an invited address, otherwise by a mailed sign-in link. Throws the errors of
 * `requestMagicLink`.
 */
export async function signUpWithoutPassword(
  app: App,
  input: z.output<typeof withoutPasswordSchema>,
  request: RequestInfo,
): Promise<SignInAnswer> {
  if (!app.config.signIn.magicLink) throw new AppError('magic-link-disabled')
  await rateLimit(app, limits.signUpPerAddress, addressKey(request.clientAddress))
  const opened = await openInvitedAccount(app, { ...input, name: input.name || undefined }, request)
  return opened ?? requestMagicLink(app, input, request)
}
