import { appendResponseHeader, defineEventHandler, getQuery, sendRedirect, setResponseHeader, type H3Event } from 'h3'
import { devAccountState } from '#server/domains/accounts'
import { refusedSignInPage, signInDevOnFirstUse, signInPage, submitSignIn, toLanguage } from '#server/domains/sign-in'
import { getApp } from '#server/foundation/app-context'
import { AppError } from '#server/foundation/http/app-error'
import { toAppError } from '#server/foundation/http/problem'
import { readFormBody } from '#server/foundation/http/read-body'
import { sendPage, sendPersonalPage } from '#server/foundation/server-page/send-page'
import { SIGN_IN_PATH } from '#shared/paths'
import { safeReturnPath } from '#shared/return-path'

const MAX_BYTES = 64 * 1024
/** What signing in with a provider may come back with. */
const returnedErrors = ['provider-required', 'sign-in-cancelled', 'sign-in-failed'] as const

export default defineEventHandler(async event => {
  if (event.method === 'GET' || event.method === 'HEAD') return show(event)
  if (event.method === 'POST') return submit(event)
  throw new AppError('method-not-allowed', { headers: { allow: 'GET, HEAD, POST' } })
})

async function show(event: H3Event) {
  const cookie = event.method === 'GET' ? await signInDevOnFirstUse(event) : undefined
  if (cookie) return goOn(event, [cookie], 302)
  const app = getApp(event)
  const state = { language: toLanguage(getQuery(event).lang), offersDev: (await devAccountState(app)) !== 'off' }
  const error = returnedErrors.find(code => code === getQuery(event).error)
  if (!error) return sendPage(event, await signInPage(app, state))
  const refused = { intent: 'sign-in', error: new AppError(error), email: '', name: '' } as const
  return sendPersonalPage(event, await refusedSignInPage(app, { ...state, refused }), refused.error)
}

async function submit(event: H3Event) {
  const app = getApp(event)
  const form = await readFormBody(event, { maxBytes: MAX_BYTES })
  if (form.language) return changeLanguage(event, form.language)
  try {
    const { setCookies, location } = await submitSignIn(event, form, returnPathOf(event))
    return goOn(event, setCookies, 303, location)
  } catch (thrown) {
    const error = toAppError(thrown)
    if (error.status >= 500) throw error
    const intent = form.intent === 'sign-up' || form.intent === 'dev' ? form.intent : 'sign-in'
    const refused = { intent, error, email: form.email ?? '', name: form.name ?? '' } as const
    const offersDev = (await devAccountState(app)) !== 'off'
    const language = toLanguage(getQuery(event).lang)
    return sendPersonalPage(event, await refusedSignInPage(app, { language, offersDev, refused }), error)
  }
}

function goOn(event: H3Event, cookies: string[], status: 302 | 303, location = returnPathOf(event)) {
  for (const cookie of cookies) appendResponseHeader(event, 'set-cookie', cookie)
  setResponseHeader(event, 'cache-control', 'no-store')
  return sendRedirect(event, location, status)
}

const returnPathOf = (event: H3Event): string => safeReturnPath(getQuery(event).return, getApp(event).config.baseUrl)

function changeLanguage(event: H3Event, value: string) {
  const query = new URLSearchParams({ return: returnPathOf(event) })
  query.set('lang', toLanguage(value))
  return sendRedirect(event, `${SIGN_IN_PATH}?${query}`, 303)
}
