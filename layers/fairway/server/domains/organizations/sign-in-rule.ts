// The sign-in rule of an organization: the one provider that must have proved a session, and whom the rule leaves out.
import type { App } from '#fairway/server/kernel/app-context'
import { connectionIdOf, connectionProvider } from '#fairway/shared/connection-provider'
import { connectionStartPath, IDENTITY_LOGIN_PATH, SIGN_IN_AGAIN, SIGN_IN_PATH } from '#fairway/shared/paths'
import type { SessionTimes } from './session-policy'
import type { ClosedOrg } from '#fairway/shared/schemas/session'
import { signInPathFor } from '#fairway/shared/sign-in-path'

/** The values that an organization's sign-in rule compares. */
export interface SignInProof {
  /** The provider of the session, or the surface when there is no session. */
  provider: string
  /** The domain or tenant that the provider vouched for. */
  providerDomain?: string | null
  /** Whether the session has proved a second factor. */
  provedSecondFactor?: boolean
  /** When it began and how it was used, for the session policy; a program without a session has none. */
  times?: SessionTimes
  /** Whether it is a service account. It has no sign-in, so rules about one do not concern it. */
  isMachine?: boolean
}

/** The columns of the rule; all null for a person without an organization. */
export interface SignInRuleRow {
  requiredProvider: string | null
  /** The domain or tenant that the account at that provider must belong to; null for any. */
  requiredDomain: string | null
  /** The name of the required connection; null for other providers. */
  connectionName: string | null
  /** Whether the rule leaves this person out: a guest, whose address is outside the organization's domains. */
  isGuest: number | null
}

/** SQL: whether the address of a user is in no domain of the organization (`o`). A lapsed domain is still one of its own. */
export const isOutside = (user: string): string =>
  `not exists (select 1 from fw_org_domains d where d.org_id = o.id and d.status <> 'pending'
    and d.domain = substr(${user}.email, instr(${user}.email, '@') + 1))`

/** SQL: whether the rule of an organization (`o`) leaves out a user: it admits guests, and their address is outside. */
export const isGuest = (user: string): string => `(o.required_auth_guests = 1 and ${isOutside(user)})`

export const signInRuleColumns = `o.required_auth_provider as requiredProvider, o.required_auth_domain as requiredDomain,
  (select c.name from fw_org_connections c where c.id = substr(o.required_auth_provider, ${connectionProvider('').length + 1})) as connectionName,
  ${isGuest('u')} as isGuest`

/** The sign-in rule of an organization (`o`) in SQL for a user (`u`). The row `proof` has `provider` and `provider_domain`. */
export const orgOpensTo = (proof: string): string =>
  `(o.required_auth_provider is null or ${isGuest('u')} or (o.required_auth_provider is ${proof}.provider
    and (o.required_auth_domain is null or o.required_auth_domain is ${proof}.provider_domain)))`

/** Whether a proof meets the rule of a row. */
export const meetsSignInRule = (
  { requiredProvider, requiredDomain, isGuest: isLeftOut }: SignInRuleRow,
  { provider, providerDomain }: SignInProof,
): boolean =>
  requiredProvider === null ||
  isLeftOut === 1 ||
  (requiredProvider === provider && (requiredDomain === null || requiredDomain === providerDomain))

interface RequirableProvider {
  id: string
  name: string
  signIn: string
  isOwnProvider: boolean
}

/** Lists the providers an organization can require, because this app creates sessions with them, and where to sign in. */
export function requirableProviders({ config }: App): RequirableProvider[] {
  const { client, trustedProviders } = config.identity
  const providers = config.signInProviders.map(({ id, name }) => ({
    id,
    name,
    signIn: signInPathFor({ again: true }),
    isOwnProvider: true,
  }))
  const hub = client && !client.isDesktopOnly && !config.customSignIn ? trustedProviders : []
  const throughHub = hub
    .filter(id => providers.every(provider => provider.id !== id))
    .map(id => ({ id, name: id, signIn: `${IDENTITY_LOGIN_PATH}?${SIGN_IN_AGAIN}=1`, isOwnProvider: false }))
  return [...providers, ...throughHub]
}

/** Describes an organization that is closed to the session, and how to open it. */
export function toClosedOrg(
  app: App,
  org: { id: string; name: string },
  { requiredProvider, requiredDomain, connectionName }: SignInRuleRow,
): ClosedOrg {
  const provider = requiredProvider ?? ''
  const connection = connectionIdOf(provider)
  if (connection !== undefined) {
    const signIn = connectionStartPath(connection)
    return { ...org, provider, providerName: connectionName ?? '', signIn, isOwnProvider: false }
  }
  // With a custom sign-in, only the external service knows its providers.
  const elsewhere = { name: provider, signIn: app.config.customSignIn ? SIGN_IN_PATH : null, isOwnProvider: false }
  const { name, signIn, isOwnProvider } = requirableProviders(app).find(({ id }) => id === provider) ?? elsewhere
  const domain = requiredDomain === null ? {} : { domain: requiredDomain }
  return { ...org, provider, providerName: name, ...domain, signIn, isOwnProvider }
}
