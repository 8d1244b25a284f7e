import { betterAuth } from 'better-auth/minimal'
import { drizzleAdapter } from 'better-auth/adapters/drizzle'
import type { App } from '#fairway/server/kernel/app-context'
import type { PasswordHasher } from '#fairway/server/kernel/crypto/password'
import { newId } from '#fairway/server/kernel/crypto/random'
import { cookiePrefix } from '#fairway/server/kernel/http/cookie'
import { AUTH_PREFIX, SIGN_IN_PATH } from '#fairway/shared/paths'
import { accounts, sessions, users, verifications } from '../tables'
import { SESSION_COOKIE_PURPOSE, SESSION_LIFE_IN_SECONDS } from '../session-cookie'

/** Sets the library up over our tables, our password hashes and our session rules. `clientAddressHeader` is the one header of a call that it takes the visitor's address from. Providers are not its business. */
export function createLibrary(app: App, hasher: PasswordHasher, clientAddressHeader: string) {
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
      // Rolling is ours (sessions domain): one place decides how long a session lives.
      disableSessionRefresh: true,
      cookieCache: { enabled: false },
      additionalFields: { provider: { type: 'string', input: false, defaultValue: 'password' } },
    },
    emailAndPassword: {
      enabled: true,
      // Sessions are ours to make (`mintSession`).
      autoSignIn: false,
      requireEmailVerification: config.signIn.emailVerification === 'required',
      minPasswordLength: 1,
      // Our own policy has counted code points already; this counts UTF-16 units.
      maxPasswordLength: 1024,
      password: {
        hash: password => hasher.hash(password),
        verify: ({ hash, password }) => hasher.verify(hash, password),
      },
    },
    onAPIError: { errorURL: `${config.baseUrl}${SIGN_IN_PATH}` },
    rateLimit: { enabled: false },
    advanced: {
      cookiePrefix: cookiePrefix(config),
      useSecureCookies: false,
      defaultCookieAttributes: { secure: config.isHttps, httpOnly: true, sameSite: 'lax', path: '/' },
      // The whole address: it is shown to its owner. What counts by network shortens it itself.
      ipAddress: { ipAddressHeaders: [clientAddressHeader], ipv6Subnet: 128 },
      database: { generateId: () => newId() },
    },
  })
}
