import { type OpenIdClaims, toProfile } from './known-providers'
import { ProviderFailure } from './provider-failure'

const GOOGLE = 'https://accounts.google.com'
const ENTRA_HOSTS = ['login.microsoftonline.com', 'sts.windows.net']

/** Whether an issuer is a tenant of Entra ID, whose `sub` differs for each client, while `oid` does not. */
export const isEntra = (issuer: string): boolean => ENTRA_HOSTS.includes(new URL(issuer).hostname)

/** The person whom an organization's provider names. */
export interface ConnectedPerson {
  /** The provider's own ID of the person (`sub`), which never changes. */
  subject: string
  /** Lower case; empty without a usable address. */
  email: string
  /** Whether the provider vouches for the address; null when it says nothing. */
  isVerified: boolean | null
  name: string
  image: string | null
}

/**
 * Reads the person from the claims. Google has one issuer for all its customers, so the account must be of the workspace (`hd`) of
 * its address. Entra ID sends no `email_verified`: `xms_edov` says that the domain is the tenant's; an address without it is not
 * vouched for. Throws ProviderFailure.
 */
export function toConnectedPerson({ issuer }: { issuer: string }, claims: OpenIdClaims): ConnectedPerson {
  const { sub, hd, email_verified: said, xms_edov: edov, name, picture } = claims
  const named = claims.email ?? claims.preferred_username ?? claims.upn
  const profile = toProfile({ accountId: sub, email: named, emailVerified: true, name, image: picture })
  const domain = profile.email.slice(profile.email.lastIndexOf('@') + 1)
  if ((issuer === GOOGLE || hd !== undefined) && hd !== domain) {
    throw new ProviderFailure('account-refused', 'the account is not of this workspace', { code: 'domain-not-proved' })
  }
  const isTenant = isEntra(issuer)
  const isVerified = isTenant ? (isTrue(edov) ? true : null) : isTrue(said) ? true : said === undefined ? null : false
  return { subject: sub, email: profile.email, isVerified, name: profile.name, image: profile.image }
}

/** Some providers send booleans as texts or numbers. */
const isTrue = (claim: unknown): boolean => claim === true || claim === 'true' || claim === 1 || claim === '1'
