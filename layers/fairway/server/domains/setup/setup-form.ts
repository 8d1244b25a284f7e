// The address of the setup page: the mailed link, the page, and the results of its forms.
import type { App } from '#fairway/server/kernel/app-context'
import { AppError, toAppError } from '#fairway/server/kernel/http/app-error'
import { addressKey } from '#fairway/server/kernel/http/client-address'
import { cookieValues, languageCookie, setCookieValue } from '#fairway/server/kernel/http/cookie'
import type { RequestInfo } from '#fairway/server/kernel/http/request-info'
import { limits } from '#fairway/server/kernel/limits/limits'
import { rateLimit } from '#fairway/server/kernel/limits/rate-limit'
import { languageOf } from '#fairway/server/kernel/messages'
import { type BrowserAnswer, explained } from '#fairway/server/kernel/server-page/send-answer'
import type { Language } from '#fairway/shared/languages'
import { SETUP_PATH } from '#fairway/shared/paths'
import { findById, findByToken, noteVisit, type OpenLink } from './links'
import { overPage, setupPage } from './setup-page'
import { findIntent } from './steps'
import { TESTER } from './steps/connection-step'
import { readSetup, type SetupForm, type SetupVisit, type Shown } from './visit'

const COOKIE = 'setup'

/** A request for the page. */
export interface SetupRequest extends RequestInfo {
  language: Language
  requestId: string
}

/**
 * Opens a mailed link: the browser keeps its secret in a cookie for this page and leaves the address that has it. Changes
 * nothing. Throws `rate-limited` after many unknown secrets.
 */
export async function openSetup(app: App, token: string, request: SetupRequest): Promise<BrowserAnswer> {
  const link = await findByToken(app, token)
  if (!link) return over(app, request)
  const lifeInSeconds = Math.ceil((link.expiresAt - app.now().getTime()) / 1000)
  return { location: SETUP_PATH, setCookies: [setCookieValue(app.config, COOKIE, token, lifeInSeconds, SETUP_PATH)] }
}

/** Shows the page to the browser that holds the secret of an open link. */
export async function showSetup(app: App, request: SetupRequest, query: URLSearchParams): Promise<BrowserAnswer> {
  const link = await findLink(app, request)
  if (!link) return over(app, request)
  noteVisit(app, link)
  const test = query.get('test-failed') ?? undefined
  return { page: await pageOf(app, link, { test }, request.language) }
}

/** Handles a form of the page: does what its button says, as far as the link allows, then shows the page again. */
export async function submitSetup(app: App, form: SetupForm, request: SetupRequest): Promise<BrowserAnswer> {
  const link = await findLink(app, request)
  if (!link) return over(app, request)
  if (form.language)
    return { location: SETUP_PATH, setCookies: [languageCookie(app.config, languageOf(form.language))] }
  const { intent = '' } = form
  const run = findIntent(intent)
  if (!run) throw new AppError('invalid-request')
  const visit: SetupVisit = { ...request, link }
  // The form may have given the link its connection.
  const pageAfter = async (shown: Shown) => pageOf(app, (await findById(app, link.id)) ?? link, shown, request.language)
  try {
    await rateLimit(app, limits.setupChangesPerOrg, link.orgId)
    const handled = await run(app, visit, form)
    if (!handled) return { location: `${SETUP_PATH}#${stepOf(intent)}` }
    if ('location' in handled) return handled
    return { page: await pageAfter(handled) }
  } catch (thrown) {
    const error = toAppError(thrown)
    if (error.status >= 500 && error.code !== 'provider-unavailable') throw error
    return explained(await pageAfter({ refused: { intent, error, form } }), error)
  }
}

/** The intents are named after their step: `test-connection`. */
const stepOf = (intent: string): string => intent.split('-').at(-1) ?? ''

/** The organization for which a contact tests a connection; undefined once the link is over. */
export const findTesterLink = async (app: App, testedBy: string): Promise<string | undefined> =>
  testedBy.startsWith(TESTER) ? (await findById(app, testedBy.slice(TESTER.length)))?.orgId : undefined

async function findLink(app: App, { cookieHeader }: SetupRequest): Promise<OpenLink | undefined> {
  const [token = ''] = cookieValues(app.config, COOKIE, cookieHeader, SETUP_PATH)
  return findByToken(app, token)
}

const pageOf = async (app: App, link: OpenLink, shown: Shown, language: Language) =>
  setupPage(app, await readSetup(app, link), shown, language)

/** The same page for links that are over and secrets that never existed. */
async function over(app: App, { clientAddress, language }: SetupRequest): Promise<BrowserAnswer> {
  await rateLimit(app, limits.setupGuessesPerAddress, addressKey(clientAddress))
  return { page: await overPage(app, language), status: 404 }
}
