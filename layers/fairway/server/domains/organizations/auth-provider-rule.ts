import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { IDENTITY_LOGIN_PATH, SIGN_IN_AGAIN, SIGN_IN_PATH } from '#fairway/shared/paths'
import type { ClosedOrg, Session } from '#fairway/shared/schemas/session'
import { signInPathFor } from '#fairway/shared/sign-in-path'

interface RequirableProvider {
  id: string
  name: string
  signIn: string
  isOwnProvider: boolean
}

/** The providers that an organization can ask for, because sessions are made by them here, and where signing in with each begins. */
export function requirableProviders({ config }: App): RequirableProvider[] {
  const { client, trustedProviders } = config.identity
  const own = config.signInProviders.map(({ id, name }) => ({
    id,
    name,
    signIn: signInPathFor({ again: true }),
    isOwnProvider: true,
  }))
  const hub = client && !client.isDesktopOnly && !config.customSignIn ? trustedProviders : []
  const throughHub = hub
    .filter(id => own.every(provider => provider.id !== id))
    .map(id => ({ id, name: id, signIn: `${IDENTITY_LOGIN_PATH}?${SIGN_IN_AGAIN}=1`, isOwnProvider: false }))
  return [...own, ...throughHub]
}

/** What is told of an organization that does not open: which it is, and the way to open it. */
export function toClosedOrg(app: App, org: { id: string; name: string }, provider: string): ClosedOrg {
  // Where people sign in elsewhere, only that place knows its providers.
  const elsewhere = { name: provider, signIn: app.config.customSignIn ? SIGN_IN_PATH : null, isOwnProvider: false }
  const { name, signIn, isOwnProvider } = requirableProviders(app).find(({ id }) => id === provider) ?? elsewhere
  return { ...org, provider, providerName: name, signIn, isOwnProvider }
}

/** Throws `provider-required`, with the way to go, when the organization that this session works in does not open to it. */
export function checkOrgOpens(session: Pick<Session, 'closedOrg'> | null): void {
  if (!session?.closedOrg) return
  const { id, name, provider, providerName, signIn } = session.closedOrg
  throw new AppError('provider-required', {
    detail: `Sign in with ${providerName} to work in ${name}.`,
    extra: { organization: { id, name }, provider, providerName, signIn },
  })
}
