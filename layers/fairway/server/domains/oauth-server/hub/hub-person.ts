import { findPerson, isLocalIdentity, mayOpen } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { DEV_EMAIL } from '#fairway/server/kernel/config/config'
import type { Session } from '#fairway/shared/schemas/session'

interface HubPerson {
  id: string
  email: string
  /** Why the hub says nothing of them to others. */
  refusal?: 'dev-account-refused' | 'email-not-verified'
}

/** A person as they are now; null when the account is gone. Other applications are told of no local identity but in development. */
export async function findHubPerson(app: App, userId: string): Promise<HubPerson | null> {
  const person = await findPerson(app, { userId })
  if (!person) return null
  const { email, emailVerified } = person
  const mayBeNamed = app.config.environment === 'development' && mayOpen({ ...person, provider: 'hub' }, app.config)
  if (isLocalIdentity(person) && !mayBeNamed) return { id: userId, email, refusal: 'dev-account-refused' }
  return emailVerified ? { id: userId, email } : { id: userId, email, refusal: 'email-not-verified' }
}

const DEVELOPMENT_PROVIDERS = ['dev', 'auth-disabled']

/** Why the hub does not vouch for a person towards other applications; undefined for those whom it vouches for. */
export function whyNotVouched(app: App, session: Session): 'email-not-verified' | 'not-a-real-account' | undefined {
  const isDevelopment = DEVELOPMENT_PROVIDERS.includes(session.provider) || session.email === DEV_EMAIL
  if (isDevelopment && app.config.environment !== 'development') return 'not-a-real-account'
  return session.emailVerified ? undefined : 'email-not-verified'
}
