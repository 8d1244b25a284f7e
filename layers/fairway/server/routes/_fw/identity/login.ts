import { appendResponseHeader, getQuery, sendRedirect } from 'h3'
import { findHubClient, startHubSignIn } from '#fairway/server/domains/oauth-client'
import { getSession } from '#fairway/server/domains/sessions'
import { getApp } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { defineMethods } from '#fairway/server/kernel/http/methods'
import { mayBeNavigation, requestInfo } from '#fairway/server/kernel/http/request-info'
import { SIGN_IN_AGAIN } from '#fairway/shared/paths'
import { safeReturnPath } from '#fairway/shared/return-path'

export default defineMethods(
  {
    openIn: ['signed-out', 'setup'],
    async GET(event) {
      if (event.method === 'HEAD') throw new AppError('method-not-allowed', { headers: { allow: 'GET' } })
      if (!mayBeNavigation(event.node.req)) {
        throw new AppError('invalid-request', { detail: 'This address is for a browser to go to.' })
      }
      const app = getApp(event)
      const { return: returnPath, [SIGN_IN_AGAIN]: again } = getQuery(event)
      if (!again && (await getSession(event))) {
        return sendRedirect(event, safeReturnPath(returnPath, app.config.baseUrl), 303)
      }
      const { url, setCookies } = await startHubSignIn(app, { ...requestInfo(event), returnPath })
      for (const cookie of setCookies) appendResponseHeader(event, 'set-cookie', cookie)
      return sendRedirect(event, url, 303)
    },
  },
  { isThere: event => findHubClient(getApp(event), requestInfo(event).userAgent) !== undefined },
)
