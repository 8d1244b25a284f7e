import type { H3Event } from 'h3'
import { authenticateAccessToken } from '#fairway/server/domains/oauth-server'
import { getApp, getRequestId } from '#fairway/server/kernel/app-context'
import { withRun } from '#fairway/server/kernel/current-run'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { readBearer, requestInfo } from '#fairway/server/kernel/http/request-info'
import { isPersonalToken } from '#fairway/shared/secrets'
import type { Session } from '#fairway/shared/schemas/session'
import type { McpScope } from '#fairway/shared/scopes'
import { withinCallLimits } from './access'

/**
 * Answers a request as the person behind its personal token, if the token has the scope and is within its limits. Without such a
 * token, `answer` finds the session itself. Throws `unauthenticated`, `insufficient-scope` and `rate-limited`; the first two name
 * what is needed in `WWW-Authenticate` (RFC 6750 §3).
 */
export async function withPersonalToken<T>(
  event: H3Event,
  scope: McpScope,
  answer: (session?: Session) => Promise<T>,
): Promise<T> {
  const bearer = readBearer(event.node.req)
  if (event.method === 'OPTIONS') return answer()
  if (!isPersonalToken(bearer)) return challenged(answer(), bearer === undefined ? undefined : 'invalid_token', scope)
  const app = getApp(event)
  const access = await authenticateAccessToken(app, bearer)
  if (!access) throw new AppError('unauthenticated', challenge('invalid_token', scope))
  const { session } = access
  app.walk?.person(getRequestId(event), 'personal token', session)
  if (!access.scopes.has(scope))
    throw new AppError('insufficient-scope', {
      detail: `This needs ${scope}.`,
      ...challenge('insufficient_scope', scope),
    })
  const { clientAddress, userAgent } = requestInfo(event)
  const run = { app, session, clientAddress, userAgent }
  return withinCallLimits(app, access, () => withRun(run, () => answer(session)))
}

const challenge = (error: 'invalid_token' | 'insufficient_scope' | undefined, scope: McpScope) => ({
  headers: { 'www-authenticate': `Bearer ${error ? `error="${error}", ` : ''}scope="${scope}"` },
})

/** Adds a challenge to a 401 without one. */
async function challenged<T>(answer: Promise<T>, error: 'invalid_token' | undefined, scope: McpScope): Promise<T> {
  try {
    return await answer
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.code !== 'unauthenticated') throw thrown
    const { detail, cause, headers } = thrown
    throw new AppError('unauthenticated', {
      detail,
      cause,
      headers: { ...challenge(error, scope).headers, ...headers },
    })
  }
}
