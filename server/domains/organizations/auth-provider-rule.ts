import { eq } from 'drizzle-orm'
import type { App } from '#server/foundation/app-context'
import { AppError } from '#server/foundation/http/app-error'
import { corporateDomainOf } from './email-domain'
import { organizations } from './tables'

/** Throws `provider-required` when the organization asks for a provider and the session was proved in another way. */
export async function requireProvider(app: App, orgId: string, provider: string): Promise<void> {
  const [org] = await app.db.orm
    .select({ required: organizations.requiredAuthProvider })
    .from(organizations)
    .where(eq(organizations.id, orgId))
  if (org?.required && org.required !== provider) throw providerRequired(org.required)
}

const REQUIRED_FOR = `
  select o.required_auth_provider as provider from organizations o where o.required_auth_provider is not null and (
    exists (select 1 from org_members m join users u on u.id = m.user_id where m.org_id = o.id and u.email = ?)
    or exists (select 1 from org_invitations i where i.org_id = o.id and i.email = ? and i.status = 'pending' and i.expires_at > ?)
    or o.allowed_domain = ?)`

/** The providers that organizations ask of this address: as a member, as somebody invited, or by its domain. */
export async function requiredProvidersOf(app: App, email: string): Promise<string[]> {
  const find = app.once('required-providers', () => app.db.prepareRead<{ provider: string }>(REQUIRED_FOR))
  const address = email.toLowerCase()
  const rows = await find([address, address, app.now().getTime(), corporateDomainOf(address)])
  return [...new Set(rows.map(row => row.provider))]
}

/** Throws `provider-required` when somebody with this address may not sign in by `provider` (SPEC: States, Organization). */
export async function checkProviderFor(app: App, email: string, provider: string): Promise<void> {
  const required = (await requiredProvidersOf(app, email)).filter(wanted => wanted !== provider)
  if (required[0]) throw providerRequired(required[0])
}

/** The refusal that names the provider to sign in with. */
export const providerRequired = (provider: string): AppError =>
  new AppError('provider-required', { detail: `Sign in with ${provider}.`, extra: { provider } })
