// Sign-in without a password of this application: with a provider, through the identity hub, or as the development account.
import { getQuery, type H3Event } from 'h3'
import { z } from 'zod'
import { devAccountState, ensureDevAccount, mintSession, rememberDevSignOut } from '#fairway/server/domains/people'
import { startProviderSignIn } from '#fairway/server/domains/oauth-client'
import { type App, getApp } from '#fairway/server/kernel/app-context'
import { DEV_EMAIL } from '#fairway/server/kernel/config/config'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { ownMachineFault } from '#fairway/server/kernel/http/own-machine'
import { type RequestInfo, requestInfo } from '#fairway/server/kernel/http/request-info'
import { IDENTITY_LOGIN_PATH, SIGN_IN_AGAIN } from '#fairway/shared/paths'
import type { SignInAnswer } from './sign-in-answer'

export const providerSchema = z.object({
  provider: z.string().min(1).max(64),
  callbackURL: z.string().optional(),
})

/**
 * Starts a sign-in with a provider. The browser continues at `url`. Throws `unknown-provider`, and `unavailable` when the
 * provider cannot be reached.
 */
export async function startProvider(
  app: App,
  { provider, callbackURL: returnPath }: z.output<typeof providerSchema>,
  { clientAddress, cookieHeader }: RequestInfo,
): Promise<SignInAnswer> {
  const { url, setCookies } = await startProviderSignIn(app, { provider, returnPath, clientAddress, cookieHeader })
  return { body: { url, redirect: false }, setCookies, location: url }
}

/** The provider value that the button of the identity hub submits. */
export const HUB = 'hub'

/** The host of the identity hub on the sign-in page. Undefined without a hub and for a hub that only the desktop uses. */
export function offeredHub({ config }: App): string | undefined {
  const { client } = config.identity
  return client && !client.isDesktopOnly ? new URL(client.url).host : undefined
}

/** The providers on the sign-in page, in order; the identity hub is at the end. */
export function offeredProviders(app: App): { id: string; name: string }[] {
  const hub = offeredHub(app)
  const providers = app.config.signInProviders.map(({ id, name }) => ({ id, name }))
  return hub ? [...providers, { id: HUB, name: hub }] : providers
}

/** Redirects to the start of a sign-in through the hub, for people who may already be signed in or must sign in again. */
export async function startHub(event: H3Event, { callbackURL }: Record<string, unknown>): Promise<SignInAnswer> {
  const query = new URLSearchParams({ return: String(callbackURL) })
  if (getQuery(event)[SIGN_IN_AGAIN]) query.set(SIGN_IN_AGAIN, '1')
  return { body: {}, setCookies: [], location: `${IDENTITY_LOGIN_PATH}?${query}` }
}

/** Signs the development account in. Throws `dev-account-refused` where it is off or the request comes from another machine. */
export async function signInDev(event: H3Event): Promise<SignInAnswer> {
  if ((await offeredDevAccount(event)) === 'off') throw new AppError('dev-account-refused')
  return { body: {}, setCookies: [await mintDevSession(event)] }
}

/**
 * Signs the development account in automatically while the database is new and the browser runs on this machine; otherwise
 * undefined.
 */
export async function signInDevOnFirstUse(event: H3Event): Promise<string | undefined> {
  const app = getApp(event)
  if ((await offeredDevAccount(event)) !== 'automatic') return undefined
  const cookie = await mintDevSession(event)
  app.log.info('signed in as the development account on first use')
  return cookie
}

/** The state of the development account for this request: off unless the developer's own machine sent it. */
async function offeredDevAccount(event: H3Event): ReturnType<typeof devAccountState> {
  const app = getApp(event)
  return ownMachineFault(event.node.req, app.config) === undefined ? devAccountState(app) : 'off'
}

async function mintDevSession(event: H3Event): Promise<string> {
  const app = getApp(event)
  const { userId, securityVersion } = await ensureDevAccount(app)
  await rememberDevSignOut(app, userId, false)
  const { clientAddress, userAgent } = requestInfo(event)
  const dev = { userId, securityVersion, email: DEV_EMAIL, provider: 'dev', provesAddress: false }
  const { cookie } = await mintSession(app, { ...dev, ipAddress: clientAddress, userAgent })
  return cookie
}
