import { getQuery, type H3Event } from 'h3'
import {
  ensureDevAccount,
  devAccountState,
  rememberDevSignOut,
  type LibraryAnswer,
  mintSession,
} from '#fairway/server/domains/people'
import { endOptOutCookie } from '#fairway/server/domains/sessions'
import { getApp, type App } from '#fairway/server/kernel/app-context'
import { DEV_EMAIL } from '#fairway/server/kernel/config/config'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { isLoopbackPeer } from '#fairway/server/kernel/http/client-address'
import { parseInput } from '#fairway/server/kernel/http/read-input'
import { requestInfo } from '#fairway/server/kernel/http/request-info'
import { SIGN_IN_AGAIN } from '#fairway/shared/paths'
import { twoFactorInput } from './two-factor/two-factor-input'
import { continueWaiting } from './confirm-email-link'
import { codeSignIn } from './factor-sign-in'
import { magicLinkSchema, requestMagicLink } from './magic-link'
import { requestPasswordReset, requestResetSchema } from './password-reset'
import { signIn, signInSchema, signUp, signUpSchema } from './password-sign-in'
import { HUB, hubLoginPath, offeredHub, startProvider } from './provider-sign-in'
import { SECOND_FACTOR_INTENT } from './second-factor-page'
import { resendVerification } from './verification'
import type { Visitor } from './visitor'

export type SignInForm = Record<string, string>

export interface SubmittedSignIn {
  setCookies: string[]
  /** Where a provider wants the browser next; the return path is meant when there is none. */
  location?: string
  /** Set when the person is not signed in yet but waits for a mailed link; a notice when the waiting page was there already. */
  waits?: true | 'not-yet' | 'mailed-again' | 'ended'
}

type Submit = (app: App, form: SignInForm, visitor: Visitor, returnPath: string) => Promise<SubmittedSignIn>

const submits: Record<string, Submit> = {
  async 'magic-link'(app, form, visitor, callbackURL) {
    const input = parseInput(magicLinkSchema, { ...form, callbackURL })
    return { ...(await requestMagicLink(app, input, visitor)), waits: true }
  },
  async reset(app, form, visitor, redirectTo) {
    const input = parseInput(requestResetSchema, { ...form, redirectTo })
    return { ...(await requestPasswordReset(app, input, visitor)), waits: true }
  },
  async 'sign-up'(app, form, visitor, callbackURL) {
    const answer = await signUp(app, parseInput(signUpSchema, { ...form, callbackURL }), visitor)
    return { setCookies: answer.setCookies, ...(answer.body.verification ? { waits: true } : {}) }
  },
  async 'sign-in'(app, form, visitor, callbackURL) {
    try {
      return await signIn(app, parseInput(signInSchema, { ...form, callbackURL }), visitor)
    } catch (error) {
      const cookie = error instanceof AppError && error.code === 'email-not-verified' && error.headers['set-cookie']
      if (!cookie) throw error
      return { setCookies: [cookie], waits: true }
    }
  },
  async continue(app, _form, visitor) {
    const { setCookies, location, body } = await continueWaiting(app, visitor)
    if (location) return { setCookies, location }
    return { setCookies, waits: body.status === 'waiting' ? 'not-yet' : 'ended' }
  },
  async resend(app, _form, visitor) {
    const answer = await mailAgain(app, visitor)
    return answer ? { ...answer, waits: 'mailed-again' } : { setCookies: [], waits: 'ended' }
  },
}

/** Carries out what the posted form asks for and gives the cookies to set; throws what the page then shows. */
export async function submitSignIn(
  event: H3Event,
  form: SignInForm,
  returnPath: string,
  language: string,
): Promise<SubmittedSignIn> {
  const app = getApp(event)
  if (form.intent === 'fixed-identity') return { setCookies: [backToFixedIdentity(app)] }
  if (form.intent === 'dev') return { setCookies: [await signInDev(event, app)] }
  const visitor = { ...requestInfo(event), language }
  if (form.intent === SECOND_FACTOR_INTENT) return codeSignIn(app, parseInput(twoFactorInput.code, form), visitor)
  if (form.provider === HUB && offeredHub(app)) {
    return { setCookies: [], location: hubLoginPath(returnPath, Boolean(getQuery(event)[SIGN_IN_AGAIN])) }
  }
  if (form.provider) {
    const { body, setCookies } = await startProvider(app, { provider: form.provider, callbackURL: returnPath }, visitor)
    return { setCookies, location: String(body.url) }
  }
  const submit = submits[Object.hasOwn(submits, form.intent ?? '') ? form.intent! : 'sign-in']!
  return submit(app, form, visitor, returnPath)
}

/** Mails the link that this browser waits for once more, whichever it is; undefined when it waits for none. */
async function mailAgain(app: App, visitor: Visitor): Promise<LibraryAnswer | undefined> {
  const { waitsFor: link } = await continueWaiting(app, visitor)
  if (!link) return undefined
  const { email } = link
  const back = link.payload.returnPath
  if (link.purpose === 'magic-link') return requestMagicLink(app, { email, callbackURL: back }, visitor)
  if (link.purpose === 'password-reset') return requestPasswordReset(app, { email, redirectTo: back }, visitor)
  return resendVerification(app, { email, callbackURL: back }, visitor)
}

/** Signs the development account in without being asked, while the database is fresh and the visitor is on this machine; undefined otherwise. */
export async function signInDevOnFirstUse(event: H3Event): Promise<string | undefined> {
  const app = getApp(event)
  if (!isLoopbackPeer(event.node.req) || (await devAccountState(app)) !== 'automatic') return undefined
  const cookie = await mintDevSession(event, app)
  app.log.info('signed in as the development account on first use')
  return cookie
}

function backToFixedIdentity(app: App): string {
  if (!app.config.authDisabled) throw new AppError('invalid-request')
  return endOptOutCookie(app.config)
}

async function signInDev(event: H3Event, app: App): Promise<string> {
  const isOffered = isLoopbackPeer(event.node.req) && (await devAccountState(app)) !== 'off'
  if (!isOffered) throw new AppError('dev-account-refused')
  return mintDevSession(event, app)
}

async function mintDevSession(event: H3Event, app: App): Promise<string> {
  const { userId, securityVersion } = await ensureDevAccount(app)
  await rememberDevSignOut(app, userId, false)
  const { clientAddress, userAgent } = requestInfo(event)
  const dev = { userId, securityVersion, email: DEV_EMAIL, provider: 'dev', provesAddress: false }
  const { cookie } = await mintSession(app, { ...dev, ipAddress: clientAddress, userAgent })
  return cookie
}
