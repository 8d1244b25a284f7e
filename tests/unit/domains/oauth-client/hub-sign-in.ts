import { readSessionTokens } from '#fairway/server/domains/people'
import { endHubSignIn, startHubSignIn } from '#fairway/server/domains/oauth-client'
import { backgroundDone } from '#fairway/server/kernel/background'
import type { App } from '#fairway/server/kernel/app-context'
import { createTestApp, type TestApp } from '../../../support/app'
import { CookieJar } from '../../../support/http'
import type { HubMisbehaviour, TestHub } from '../../../support/hub'
import { A2A_SECRET } from '../../../support/secrets'

export const APP_URL = 'https://app.example.test'
const visitor = { clientAddress: '192.0.2.1', userAgent: 'test' }

/** Creates an application on https whose people sign in through this hub. */
export const createHubApp = (hub: TestHub, env: Record<string, string> = {}): Promise<TestApp> =>
  createTestApp({
    FW_BASE_URL: APP_URL,
    FW_APP_ID: 'mail',
    FW_IDENTITY_HUB_URL: hub.origin,
    A2A_SECRET,
    FW_RATE_LIMITS: 'off',
    ...env,
  })

/** Begins a sign-in in a browser. Returns the address that the browser goes to, its cookies and the state. */
export async function begin(app: App, jar = new CookieJar(), returnPath: unknown = '/notes') {
  const { url, setCookies } = await startHubSignIn(app, { returnPath, ...visitor, cookieHeader: jar.header })
  jar.keep(setCookies)
  return { url, jar, setCookies, state: new URL(url).searchParams.get('state') ?? '' }
}

/** Completes the sign-in when the browser returns; `signedIn` says whether it has a session now. */
export async function end(app: App, query: URLSearchParams, cookieHeader: string) {
  const { location, setCookies } = await endHubSignIn(app, { query, ...visitor, cookieHeader })
  await backgroundDone(app)
  const signedIn = setCookies.some(cookie => readSessionTokens(cookie.split(';', 1)[0], app.config).length > 0)
  return { location, setCookies, signedIn }
}

/** Signs one person in through the hub, from start to end. */
export async function signInThroughHub(app: App, hub: TestHub, email: string, wrong: HubMisbehaviour = {}) {
  const { url, jar } = await begin(app)
  return end(app, hub.approve(url, { email }, wrong), jar.header)
}
