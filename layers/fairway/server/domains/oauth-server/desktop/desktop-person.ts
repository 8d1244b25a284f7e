import type { App } from '#fairway/server/kernel/app-context'
import { DEV_EMAIL } from '#fairway/server/kernel/config/config'
import type { Session } from '#fairway/shared/schemas/session'

const DEVELOPMENT_PROVIDERS = ['dev', 'auth-disabled']

/** Why the hub does not vouch for somebody towards other applications; undefined for those it does. */
export function whyNotVouched(app: App, session: Session): 'email-not-verified' | 'not-a-real-account' | undefined {
  const isDevelopment = DEVELOPMENT_PROVIDERS.includes(session.provider) || session.email === DEV_EMAIL
  if (isDevelopment && app.config.environment !== 'development') return 'not-a-real-account'
  return session.emailVerified ? undefined : 'email-not-verified'
}
