import { betterAuth } from 'better-auth/minimal'
import { drizzleAdapter } from 'better-auth/adapters/drizzle'
import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import { cookiePrefix } from '#fairway/server/kernel/http/cookie'
import { AUTH_PREFIX, SIGN_IN_PATH } from '#fairway/shared/paths'
import { accounts, sessions, users, verifications } from '../tables'
import { SESSION_COOKIE_PURPOSE, SESSION_LIFE_IN_SECONDS } from '../session-cookie'

/**
 * Sets up the library with our tables and session rules. It reads the visitor's address only from
 * `clientAddressHeader`. Providers are not configured here.
 */
export function createLibrary(app: App, clientAddressHeader: string) {
  const { config, db } = app
  return betterAuth({
    appName: config.name,
    baseURL: config.baseUrl,
    basePath: AUTH_PREFIX,
    secret: config.keys.current(SESSION_COOKIE_PURPOSE).secret,
    trustedOrigins: [config.baseUrl],
    telemetry: { enabled: false },
    logger: { log: (level, message) => app.log[level === 'error' ? 'warn' : 'debug'](`auth library: ${message}`) },
    database: drizzleAdapter(db.orm, {
      provider: 'sqlite',
      schema: { user: users, session: sessions, account: accounts, verification: verifications },
    }),
    user: { additionalFields: { kind: { type: 'string', input: false, defaultValue: 'person' } } },
    session: {
      expiresIn: SESSION_LIFE_IN_SECONDS,
      // The sessions domain renews sessions: one place decides how long a session is valid.
      disableSessionRefresh: true,
      cookieCache: { enabled: false },
      additionalFields: { provider: { type: 'string', input: false, defaultValue: 'password' } },
    },
    onAPIError: { errorURL: `${config.baseUrl}${SIGN_IN_PATH}` },
    rateLimit: { enabled: false },
    advanced: {
      cookiePrefix: cookiePrefix(config),
      useSecureCookies: false,
      defaultCookieAttributes: { secure: config.isHttps, httpOnly: true, sameSite: 'lax', path: '/' },
      // The whole address, because its owner sees it. Limits by network shorten it on their side.
      ipAddress: { ipAddressHeaders: [clientAddressHeader], ipv6Subnet: 128 },
      database: { generateId: () => newId() },
    },
  })
}
