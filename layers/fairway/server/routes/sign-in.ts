import { appendResponseHeader, defineEventHandler, getQuery, sendRedirect, setResponseHeader, type H3Event } from 'h3'
import { devAccountState } from '#fairway/server/domains/people'
import {
  asksForCode,
  CODE_STEP,
  checkMailPage,
  refusedSignInPage,
  SECTIONS,
  secondFactorPage,
  signInDevOnFirstUse,
  signInElsewherePage,
  signInPage,
  signInUrlFor,
  submitSignIn,
} from '#fairway/server/domains/sign-in'
import { getApp } from '#fairway/server/kernel/app-context'
import { AppError, toAppError } from '#fairway/server/kernel/http/app-error'
import { readFormBody } from '#fairway/server/kernel/http/read-input'
import { languageOf } from '#fairway/server/kernel/messages'
import { sendPage, sendPersonalPage } from '#fairway/server/kernel/server-page/send-page'
import { CONNECTION_ERRORS } from '#fairway/shared/errors'
import { SIGN_IN_AGAIN, SIGN_IN_PATH } from '#fairway/shared/paths'
import { safeReturnPath } from '#fairway/shared/return-path'

const CHECK_MAIL = 'check-mail'
/** What signing in with a provider may come back with. */
const returnedErrors = [
  ...CONNECTION_ERRORS,
  'dev-account-refused',
  'provider-account-mismatch',
  'provider-email-not-verified',
  'sign-in-cancelled',
  'sign-in-client-refused',
  'sign-in-code-refused',
  'sign-in-failed',
] as const
/** What signing in through the identity hub may come back with, where there is one. */
const hubErrors = ['hub-email-not-verified', 'hub-sign-in-failed', 'hub-state-invalid', 'hub-unavailable'] as const

export default defineEventHandler(async event => {
  if (event.method === 'GET' || event.method === 'HEAD') return show(event)
  if (event.method === 'POST') return submit(event)
  throw new AppError('method-not-allowed', { headers: { allow: 'GET, HEAD, POST' } })
})

async function show(event: H3Event) {
  if (getApp(event).config.customSignIn) return showElsewhere(event)
  const cookie = event.method === 'GET' ? await signInDevOnFirstUse(event) : undefined
  if (cookie) return goOn(event, [cookie], 302)
  const app = getApp(event)
  const language = languageOf(getQuery(event).lang)
  const { step } = getQuery(event)
  if (step === CHECK_MAIL) return sendPage(event, await checkMailPage(app, { language }))
  if (step === CODE_STEP) return sendPage(event, await secondFactorPage(app, language))
  const state = { language, offersDev: (await devAccountState(app)) !== 'off' }
  const known = app.config.identity.client ? [...returnedErrors, ...hubErrors] : returnedErrors
  const error = known.find(code => code === getQuery(event).error)
  if (!error) return sendPage(event, await signInPage(app, state))
  const refused = { intent: 'sign-in', error: new AppError(error), email: '', name: '' } as const
  return sendPersonalPage(event, await refusedSignInPage(app, { ...state, refused }), refused.error)
}

async function showElsewhere(event: H3Event) {
  const app = getApp(event)
  const elsewhere = signInUrlFor(app, returnPathOf(event))
  if (elsewhere === undefined) return sendPage(event, await signInElsewherePage(app, languageOf(getQuery(event).lang)))
  setResponseHeader(event, 'cache-control', 'no-store')
  return sendRedirect(event, elsewhere, 302)
}

async function submit(event: H3Event) {
  const app = getApp(event)
  const form = await readFormBody(event)
  if (form.language) return changeLanguage(event, form.language)
  if (app.config.customSignIn) throw new AppError('sign-in-elsewhere')
  try {
    const language = languageOf(getQuery(event).lang)
    const { setCookies, location, waits } = await submitSignIn(event, form, returnPathOf(event), language)
    if (waits === undefined) return goOn(event, setCookies, 303, location)
    if (waits === true) return goOn(event, setCookies, 303, pathOf(event, { step: CHECK_MAIL }))
    setCookiesOf(event, setCookies)
    return sendPersonalPage(event, await checkMailPage(app, { language, notice: waits }))
  } catch (thrown) {
    const error = toAppError(thrown)
    if (error.status >= 500) throw error
    const language = languageOf(getQuery(event).lang)
    if (asksForCode(form, error)) {
      const { headers } = error
      // The password was right, and a page with status 200 is what lets a password manager offer to keep it.
      const status = error.code === 'second-factor-required' ? 200 : error.status
      return sendPersonalPage(event, await secondFactorPage(app, language, error), { headers, status })
    }
    const intent = [...SECTIONS, 'dev' as const].find(name => name === form.intent) ?? 'sign-in'
    const refused = { intent, error, email: form.email ?? '', name: form.name ?? '' } as const
    const offersDev = (await devAccountState(app)) !== 'off'
    return sendPersonalPage(event, await refusedSignInPage(app, { language, offersDev, refused }), error)
  }
}

function goOn(event: H3Event, cookies: string[], status: 302 | 303, location = returnPathOf(event)) {
  setCookiesOf(event, cookies)
  setResponseHeader(event, 'cache-control', 'no-store')
  return sendRedirect(event, location, status)
}

function setCookiesOf(event: H3Event, cookies: string[]): void {
  for (const cookie of cookies) appendResponseHeader(event, 'set-cookie', cookie)
}

const returnPathOf = (event: H3Event): string => safeReturnPath(getQuery(event).return, getApp(event).config.baseUrl)

function changeLanguage(event: H3Event, value: string) {
  const { step } = getQuery(event)
  return sendRedirect(event, pathOf(event, { lang: languageOf(value), ...(step === CHECK_MAIL ? { step } : {}) }), 303)
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
