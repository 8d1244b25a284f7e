import { z } from 'zod'
import { callLibrary, type LibraryAnswer, returnToLibrary } from '#server/domains/auth-library'
import { countAttempt, type Limit } from '#server/domains/rate-limits'
import type { App } from '#server/foundation/app-context'
import { AppError } from '#server/foundation/http/app-error'
import { addressKey } from '#server/foundation/http/client-address'
import { SIGN_IN_PATH } from '#shared/paths'
import { safeReturnPath } from '#shared/return-path'
import type { Visitor } from './visitor'

const STARTS_PER_ADDRESS: Limit = { name: 'provider-address', most: 60, windowInSeconds: 600 }

export const providerSchema = z.object({
  provider: z.string().min(1).max(64),
  callbackURL: z.string().optional(),
})

/** Begins signing in with a provider: `url` is where the browser goes next. Throws `unknown-provider`, and `unavailable` when it cannot be reached. */
export async function startProvider(
  app: App,
  { provider, callbackURL }: z.output<typeof providerSchema>,
  visitor: Visitor,
): Promise<LibraryAnswer> {
  if (!app.config.signInProviders.some(({ id }) => id === provider)) throw new AppError('unknown-provider')
  await countAttempt(app, STARTS_PER_ADDRESS, addressKey(visitor.clientAddress))
  const returnPath = safeReturnPath(callbackURL, app.config.baseUrl)
  const body = {
    provider,
    callbackURL: returnPath,
    errorCallbackURL: `${SIGN_IN_PATH}?${new URLSearchParams({ return: returnPath })}`,
    disableRedirect: true,
  }
  const answer = await callLibrary(app, {
    ...visitor,
    cookieHeader: undefined,
    provider,
    path: '/sign-in/social',
    body,
  })
  if (typeof answer.body.url !== 'string') throw new AppError('unavailable', { cause: 'the library named no address' })
  return answer
}

/** Ends signing in with a provider: the path to go on to, or the sign-in page with what went wrong. */
export async function endProvider(
  app: App,
  provider: string,
  query: string,
  visitor: Visitor,
): Promise<{ location: string; setCookies: string[] }> {
  const path = `/callback/${encodeURIComponent(provider)}${query}`
  try {
    const { location, setCookies } = await returnToLibrary(app, { ...visitor, provider, path })
    const url = new URL(location, app.config.baseUrl)
    if (url.pathname !== SIGN_IN_PATH) return { location: safeReturnPath(location, app.config.baseUrl), setCookies }
    app.log.warn('signing in with a provider failed', { provider, reason: url.searchParams.get('error') })
    const code = url.searchParams.get('error') === 'access_denied' ? 'sign-in-cancelled' : 'sign-in-failed'
    return { location: signInPath(code, url.searchParams.get('return')), setCookies: [] }
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'internal') throw error
    app.log.warn('signing in with a provider was refused', { provider, code: error.code })
    return {
      location: signInPath(error.code === 'provider-required' ? error.code : 'sign-in-failed', null),
      setCookies: [],
    }
  }
}

const signInPath = (error: string, returnPath: string | null): string =>
  `${SIGN_IN_PATH}?${new URLSearchParams({ error, ...(returnPath ? { return: returnPath } : {}) })}`
