// The list of all sign-in methods: scripts call them by path, forms of the sign-in page by intent.
import type { H3Event } from 'h3'
import { z } from 'zod'
import { checkTermsTicked } from '#fairway/server/domains/people'
import { endSession, getSession } from '#fairway/server/domains/sessions'
import { type App, getApp } from '#fairway/server/kernel/app-context'
import { signsIn } from '#fairway/server/kernel/config/config'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { parseInput } from '#fairway/server/kernel/http/read-input'
import { type RequestInfo, requestInfo } from '#fairway/server/kernel/http/request-info'
import { requestLanguage } from '#fairway/server/kernel/messages'
import type { Language } from '#fairway/shared/languages'
import { sameOriginPath } from '#fairway/shared/return-path'
import type { SignInMethods } from '#fairway/shared/schemas/account'
import { addressToProve } from './connection-link'
import { connectionSignInSchema, leadToConnection, signInByConnection } from './connection-sign-in'
import { passkeyInput } from './passkeys/ceremony'
import { signInWithPasskey, startPasskeySignIn } from './passkeys/passkey-sign-in'
import { signInWithCode, twoFactorInput } from './two-factor/second-factor'
import { signUpWithoutPassword, withoutPasswordSchema } from './invited'
import { continueWaiting, mailAgain, openLink, openLinkSchema, signInWithMailedCode } from './open-link'
import * as password from './password-sign-in'
import * as provider from './provider-sign-in'
import * as links from './request-link'
import type { SignInAnswer } from './sign-in-answer'
import { offeredSections } from './sign-in-sections'
import { MAILED_CODE_INTENT } from './check-mail-page'
import { SECOND_FACTOR_INTENT, signInUrlFor } from './step-pages'

type Run = (event: H3Event, values: Record<string, unknown>, language?: Language) => Promise<SignInAnswer>

interface SignInMethod {
  /** The path for scripts, below `/_fw/auth`. */
  path?: string
  /** The `intent` of the button on the sign-in page. */
  intent?: string
  /** The form opens an account, so it has the checkbox of the terms. A script's account must accept them afterwards. */
  hasTerms?: true
  /** Also there where Fairway signs nobody in: with the application's `getSession`, and with `AUTH_DISABLED`. */
  isForOwnSignIn?: true
  run: Run
}

// The intent of a form whose button names a provider.
const PROVIDER_INTENT = 'provider'
const HUB_INTENT = 'provider-hub'
const PASSWORD: SignInMethod = {
  path: 'sign-in/email',
  intent: 'sign-in',
  run: anonymous(password.signInSchema, password.signIn),
}

/** The sign-in methods and related endpoints. No other endpoint of the library is reachable. */
const methods: readonly SignInMethod[] = [
  PASSWORD,
  { path: 'sign-up/email', intent: 'sign-up', hasTerms: true, run: anonymous(password.signUpSchema, password.signUp) },
  {
    path: 'sign-in/magic-link',
    intent: 'magic-link',
    run: anonymous(links.magicLinkSchema, links.requestMagicLink),
  },
  { intent: 'sign-up-link', hasTerms: true, run: anonymous(withoutPasswordSchema, signUpWithoutPassword) },
  {
    path: 'request-password-reset',
    intent: 'reset',
    run: anonymous(links.requestResetSchema, links.requestPasswordReset),
  },
  { path: 'send-verification-email', run: resendVerification },
  { path: 'magic-link/verify', run: anonymous(openLinkSchema, openLink) },
  { path: 'verify-email', run: anonymous(openLinkSchema, openLink) },
  { path: 'reset-password', run: anonymous(openLinkSchema.required({ newPassword: true }), openLink) },
  {
    path: 'waiting',
    intent: 'continue',
    run: anonymous(z.object({}), (app, _input, request) => continueWaiting(app, request)),
  },
  {
    path: 'sign-in/mailed-code',
    intent: MAILED_CODE_INTENT,
    run: anonymous(twoFactorInput.code, signInWithMailedCode),
  },
  { intent: 'resend', run: anonymous(z.object({}), (app, _input, request) => mailAgain(app, request)) },
  {
    path: 'sign-in/social',
    intent: PROVIDER_INTENT,
    run: anonymous(provider.providerSchema, provider.startProvider),
  },
  { path: 'sign-in/connection', run: anonymous(connectionSignInSchema, signInByConnection) },
  { intent: HUB_INTENT, run: provider.startHub },
  {
    path: 'passkey/options',
    run: anonymous(passkeyInput.options, (app, _input, request) => startPasskeySignIn(app, request)),
  },
  { path: 'passkey/verify', run: anonymous(passkeyInput.verify, signInWithPasskey) },
  { path: 'two-factor', intent: SECOND_FACTOR_INTENT, run: anonymous(twoFactorInput.code, signInWithCode) },
  { intent: 'dev', run: provider.signInDev },
  { path: 'sign-out', isForOwnSignIn: true, run: signOut },
]

/** The available sign-in methods, the same for everyone. */
export function signInMethods(app: App): SignInMethods {
  const isElsewhere = app.config.customSignIn !== null
  const offered = isElsewhere ? [] : offeredSections(app)
  return {
    elsewhere: isElsewhere ? (signInUrlFor(app, '/') ?? '') : null,
    magicLink: offered.includes('magic-link'),
    password: offered.includes('sign-in'),
    signUp: !isElsewhere && app.config.signIn.passwordSignUp,
    reset: offered.includes('reset'),
    passkey: !isElsewhere,
    providers: isElsewhere ? [] : provider.offeredProviders(app),
  }
}

/** Finds the handler of a path below `/_fw/auth`, or undefined. */
export const findAuthEndpoint = ({ config }: App, path: string): Run | undefined =>
  methods.find(method => method.path === path && (method.isForOwnSignIn || signsIn(config)))?.run

export type SignInForm = Record<string, string>

/** Runs the posted form of the sign-in page. Throws errors that the page then shows. */
export async function runSignInForm(
  event: H3Event,
  form: SignInForm,
  { returnPath, language }: { returnPath: string; language: Language },
): Promise<SignInAnswer> {
  const wanted = intentOf(getApp(event), form)
  const { run, hasTerms } = methods.find(({ intent }) => intent === wanted) ?? PASSWORD
  const led = LEADING_INTENTS.has(wanted) && (await leadAway(event, { email: form.email, callbackURL: returnPath }))
  if (led) return led
  if (hasTerms) checkTermsTicked(getApp(event), form.termsVersion)
  try {
    return await run(event, { ...form, callbackURL: returnPath, redirectTo: returnPath }, language)
  } catch (error) {
    const cookie = error instanceof AppError && error.code === 'email-not-verified' && error.headers['set-cookie']
    if (!cookie) throw error
    return { body: {}, setCookies: [cookie], waits: true }
  }
}

/** Forms with an address alone: it leads to the provider of its organization, where there is one. */
const LEADING_INTENTS = new Set(['magic-link', 'sign-up-link'])

async function leadAway(event: H3Event, typed: object): Promise<SignInAnswer | undefined> {
  const input = connectionSignInSchema.safeParse(typed)
  const [app, request] = [getApp(event), requestInfo(event)]
  // Who comes from the provider, and proves the account, gets the mail.
  if (!input.success || (await addressToProve(app, request.cookieHeader)) === input.data.email) return undefined
  return leadToConnection(app, input.data, request)
}

function intentOf(app: App, form: SignInForm): string {
  if (!form.provider) return form.intent ?? ''
  return form.provider === provider.HUB && provider.offeredHub(app) ? HUB_INTENT : PROVIDER_INTENT
}

const CALLBACK_PARAMETERS = ['callbackURL', 'errorCallbackURL', 'newUserCallbackURL', 'redirectTo']

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

function anonymous<T extends z.ZodType>(
  schema: T,
  run: (app: App, input: z.output<T>, request: RequestInfo) => Promise<SignInAnswer>,
): Run {
  return (event, values, language) =>
    run(getApp(event), parseInput(schema, values), {
      ...requestInfo(event),
      language: language ?? requestLanguage(event),
    })
}

async function resendVerification(event: H3Event, values: Record<string, unknown>): Promise<SignInAnswer> {
  const input = parseInput(links.resendVerificationSchema, values)
  const session = await getSession(event)
  return links.resendVerification(getApp(event), input, requestInfo(event), session?.email === input.email)
}

async function signOut(event: H3Event): Promise<SignInAnswer> {
  await endSession(event)
  return { body: { success: true }, setCookies: [] }
}
