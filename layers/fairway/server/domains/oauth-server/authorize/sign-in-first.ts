import type { App } from '#fairway/server/kernel/app-context'
import { OAUTH_AUTHORIZE_PATH } from '#fairway/shared/paths'
import { safeReturnPath } from '#fairway/shared/return-path'
import { signInPathFor } from '#fairway/shared/sign-in-path'
import { keepRequest, namesKeptRequest } from './pending-request'

interface SignInFirst {
  /** The query of this page's own address. */
  query: string
  /** Whether somebody who is signed in is asked again too. */
  again?: boolean
  /** Whether the time of the request counts: a new sign-in must come after it. */
  timed?: boolean
}

/** The sign-in page that leads back to this request, however long it is. */
export async function signInFirst(app: App, { query, again, timed }: SignInFirst): Promise<string> {
  const asked = OAUTH_AUTHORIZE_PATH + query
  // What the sign-in page would not take as a return path (too long, odd characters) is kept here.
  const survives = safeReturnPath(asked, app.config.baseUrl) !== '/'
  const mustKeep = !survives || (timed && !namesKeptRequest(query))
  const back = mustKeep ? await keepRequest(app, query) : asked
  return signInPathFor({ returnPath: back, again })
}
