import { getQuery, sendRedirect } from 'h3'
import { getApp } from '#fairway/server/kernel/app-context'
import { defineRoute } from '#fairway/server/kernel/http/methods'
import { toProviderError } from '#fairway/shared/errors'
import { safeReturnPath } from '#fairway/shared/return-path'

/**
 * Redirects to the return path of a sign-in that was finished elsewhere. Passes the result of a connection to a provider along,
 * because that page shows it.
 */
export default defineRoute(['signed-out', 'setup'], event => {
  const { return: returnPath, error } = getQuery(event)
  const path = safeReturnPath(returnPath, getApp(event).config.baseUrl)
  const code = toProviderError(error)
  if (!code) return sendRedirect(event, path, 302)
  const url = new URL(path, 'http://any')
  url.searchParams.set('error', code)
  return sendRedirect(event, url.pathname + url.search + url.hash, 302)
})
