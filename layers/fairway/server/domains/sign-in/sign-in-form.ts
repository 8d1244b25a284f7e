// The address of the sign-in page: its content and the results of its forms.
import { getQuery, type H3Event } from 'h3'
import { devAccountState, findWaitingLink } from '#fairway/server/domains/people'
import { signsIn } from '#fairway/server/kernel/config/config'
import { type App, getApp } from '#fairway/server/kernel/app-context'
import { languageCookie } from '#fairway/server/kernel/http/cookie'
import { AppError, toAppError } from '#fairway/server/kernel/http/app-error'
import { type BrowserAnswer, explained } from '#fairway/server/kernel/server-page/send-answer'
import type { ReadyAnswer } from '#fairway/server/kernel/http/ready-answer'
import { type ReadyPage, readyPageOf } from '#fairway/server/kernel/server-page/send-page'
import { PROVIDER_ERRORS } from '#fairway/shared/errors'
import { SIGN_IN_AGAIN, SIGN_IN_PATH } from '#fairway/shared/paths'
import { safeReturnPath } from '#fairway/shared/return-path'
import { addressToProve } from './connection-link'
import { findInvited } from './invited'
import { signInDevOnFirstUse } from './provider-sign-in'
import { runSignInForm, type SignInForm } from './sign-in-methods'
import { personalSignInPage, signInPage } from './sign-in-page'
import { type SignInPageState, signsUpByLink } from './sign-in-sections'
import { languageOf } from '#fairway/server/kernel/messages'
import { CHECK_MAIL, checkMailPage, MAILED_CODE_INTENT } from './check-mail-page'
import { asksForCode, CODE_STEP, secondFactorPage, signInElsewherePage, signInUrlFor } from './step-pages'

/** The error codes that a sign-in with a provider or the identity hub can return with. */
const returnedErrors = [
  ...PROVIDER_ERRORS,
  'account-suspended',
  'dev-account-refused',
  'provider-email-not-verified',
  'no-connection',
  'directory-removed',
  'domain-not-proved',
  'not-a-member',
  'connection-proof-required',
] as const

/** The response of `GET /sign-in`: the step in its query, or a redirect when the browser needs no page. */
export async function showSignIn(event: H3Event): Promise<BrowserAnswer> {
  const app = getApp(event)
  const { step, error: returned } = getQuery(event)
  const language = pageLanguage(event)
  if (app.config.customSignIn) {
    const location = signInUrlFor(app, returnPathOf(event))
    return location === undefined ? { sharedPage: await signInElsewherePage(app, language) } : { location, status: 302 }
  }
  if (app.config.authDisabled) return { location: returnPathOf(event), status: 302 }
  const cookie = event.method === 'GET' ? await signInDevOnFirstUse(event) : undefined
  if (cookie) return { setCookies: [cookie], location: returnPathOf(event), status: 302 }
  if (step === CHECK_MAIL) return { page: await checkMailPage(app, { language, link: await awaitedLink(event) }) }
  if (step === CODE_STEP) return { sharedPage: await secondFactorPage(app, language) }
  const code = returnedErrors.find(name => name === returned)
  const offersDev = (await devAccountState(app)) !== 'off'
  const invited = await findInvited(app, returnPathOf(event))
  if (!code && invited) return { page: await personalSignInPage(app, { language, offersDev, invited }) }
  if (!code) return { sharedPage: await signInPage(app, { language, offersDev }) }
  return showReturnedError(event, code, { language, offersDev, invited })
}

/** The page after a provider or the identity hub has sent the browser back with an error. */
async function showReturnedError(
  event: H3Event,
  code: (typeof returnedErrors)[number],
  state: Omit<SignInPageState, 'refused'>,
): Promise<BrowserAnswer> {
  const app = getApp(event)
  const email = (await addressToProve(app, event.node.req.headers.cookie)) ?? ''
  // An account is proved by a mailed link where there are links.
  const intent = email && signsUpByLink(app) ? 'magic-link' : 'sign-in'
  const refused = { intent, error: new AppError(code), email, name: '' }
  const page = await personalSignInPage(app, { ...state, refused })
  // An error in the address is no failure of this server.
  return { ...explained(page, refused.error), status: 403 }
}

/** Queries that do not change the page: the return path, except an invitation's, and the request to sign in again. */
const PLAIN_QUERY = new RegExp(`^(?:[?&](?:return|${SIGN_IN_AGAIN})=[^&?#]*)*$`)

/**
 * The plain sign-in page, once it is rendered. It is the same for everyone. Undefined when the request or a setting requires
 * another page.
 */
export function readySignIn(event: H3Event, app: App): ReadyAnswer | undefined {
  if (!signsIn(app.config) || app.config.devAccount !== 'off') return undefined
  const { path } = event
  if (!PLAIN_QUERY.test(path.slice(SIGN_IN_PATH.length)) || /invitation/i.test(path)) return undefined
  const ready = app.memo('ready-sign-in', () => {
    const rendered: { page?: ReadyPage } = {}
    const make = async () => {
      rendered.page = await readyPageOf(
        app,
        await signInPage(app, { language: languageOf(undefined), offersDev: false }),
      )
    }
    // On failure, the regular page reports the error.
    make().catch(() => undefined)
    return rendered
  })
  return ready.page?.(event.node.req)
}

/**
 * Handles a form posted to `/sign-in`: returns a redirect, the next step's page, or the page with the error. Throws
 * `sign-in-elsewhere` and server errors.
 */
export async function submitSignIn(event: H3Event, form: SignInForm): Promise<BrowserAnswer> {
  const app = getApp(event)
  if (form.language) {
    const setCookies = [languageCookie(app.config, languageOf(form.language))]
    return { setCookies, location: otherLanguagePath(event, form.language) }
  }
  if (app.config.customSignIn) throw new AppError('sign-in-elsewhere')
  const returnPath = returnPathOf(event)
  if (app.config.authDisabled) return { location: returnPath }
  const language = pageLanguage(event)
  try {
    const { setCookies, location, waits } = await runSignInForm(event, form, { returnPath, language })
    if (waits === undefined) return { setCookies, location: location ?? returnPath }
    if (waits === true) return { setCookies, location: pathOf(event, { step: CHECK_MAIL }) }
    return {
      setCookies,
      page: await checkMailPage(app, { language, notice: waits, link: await awaitedLink(event) }),
    }
  } catch (thrown) {
    const error = toAppError(thrown)
    if (error.status >= 500) throw error
    return refusedAnswer(event, form, error)
  }
}

/** The intents of forms that show their own errors. */
const FORMS = ['magic-link', 'sign-in', 'sign-up', 'sign-up-link', 'reset', 'dev']

async function refusedAnswer(event: H3Event, form: SignInForm, error: AppError): Promise<BrowserAnswer> {
  const app = getApp(event)
  const language = pageLanguage(event)
  if (asksForCode(form, error)) {
    // The password was right, and password managers offer to save it only after a page with status 200.
    const status = error.code === 'second-factor-required' ? 200 : error.status
    return { ...explained(await secondFactorPage(app, language, error), error), status }
  }
  if (form.intent === MAILED_CODE_INTENT) {
    const notice = error.code === 'link-used' ? 'ended' : undefined
    return explained(await checkMailPage(app, { language, link: await awaitedLink(event), error, notice }), error)
  }
  const invited = await findInvited(app, returnPathOf(event))
  const posted = FORMS.find(name => name === form.intent) ?? 'sign-in'
  // Without mail, the page has one form for new accounts.
  const intent = posted === 'sign-up-link' && !signsUpByLink(app) ? 'sign-up' : posted
  const refused = { intent, error, email: form.email ?? '', name: form.name ?? '' }
  const offersDev = (await devAccountState(app)) !== 'off'
  return explained(await personalSignInPage(app, { language, offersDev, refused, invited }), error)
}

/** The mailed link that this browser waits for. */
const awaitedLink = (event: H3Event) => findWaitingLink(getApp(event), event.node.req.headers.cookie)

const pageLanguage = (event: H3Event) => languageOf(getQuery(event).lang)

const returnPathOf = (event: H3Event): string => safeReturnPath(getQuery(event).return, getApp(event).config.baseUrl)

function otherLanguagePath(event: H3Event, language: string): string {
  const { step } = getQuery(event)
  return pathOf(event, { lang: languageOf(language), ...(step === CHECK_MAIL ? { step } : {}) })
}

function pathOf(event: H3Event, more: Record<string, string>): string {
  const { lang, [SIGN_IN_AGAIN]: again } = getQuery(event)
  const query = new URLSearchParams({
    return: returnPathOf(event),
    ...(again ? { [SIGN_IN_AGAIN]: '1' } : {}),
    ...(lang ? { lang: languageOf(lang) } : {}),
    ...more,
  })
  return `${SIGN_IN_PATH}?${query}`
}
