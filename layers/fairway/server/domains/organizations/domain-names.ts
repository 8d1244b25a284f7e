import { domainToASCII } from 'node:url'
import freeMailDomains from 'email-providers/all.json' with { type: 'json' }
import { getDomain, getPublicSuffix } from 'tldts'
import { personJoin } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'

const freeMail = new Set(freeMailDomains)

/** Normalizes the domain of an address or a typed domain: ASCII (IDNA), lower case, no final dot; empty when it is invalid. */
export function normalDomain(text: string): string {
  const domain = domainToASCII(text.trim().replace(/^@/, '').replace(/\.$/, '')).toLowerCase()
  return /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/.test(domain) ? domain : ''
}

/** The normalized domain of an email address. */
export const domainOf = (email: string): string => normalDomain(email.slice(email.lastIndexOf('@') + 1))

/** True for domains that offer addresses to the public. */
export const isFreeMailDomain = (domain: string): boolean =>
  freeMail.has(domain) || freeMail.has(getDomain(domain) ?? '')

/** True for names like `co.uk`, below which strangers have their domains. */
const isPublicSuffix = (domain: string): boolean => getPublicSuffix(domain, { allowPrivateDomains: true }) === domain

/**
 * Normalizes a typed domain that one organization can own. Throws `invalid-input` for the field, `free-mail-domain` and
 * `public-suffix-domain`.
 */
export function requireDomain(typed: string, field: string): string {
  const domain = normalDomain(typed)
  if (!domain)
    throw new AppError('invalid-input', { errors: [{ path: field, message: 'Enter a domain like example.com.' }] })
  if (isFreeMailDomain(domain)) throw new AppError('free-mail-domain')
  if (isPublicSuffix(domain)) throw new AppError('public-suffix-domain')
  return domain
}

/** Returns the domain of an address when it can belong to one company, else an empty text, which matches no organization. */
export function corporateDomainOf(email: string): string {
  const domain = domainOf(email)
  return isFreeMailDomain(domain) ? '' : domain
}

/** SQL: whether the organization in one column has proved the domain in the other. */
export const hasProved = (orgId: string, domain: string): string =>
  `exists (select 1 from fw_org_domains d where d.org_id = ${orgId} and d.domain = ${domain} and d.status = 'proved')`

/** Whether an organization has proved a domain. */
export async function ownsDomain(app: App, orgId: string, domain: string): Promise<boolean> {
  const [row] = await app.db.prepareRead<{ isProved: number }>(`select ${hasProved('?', '?')} as isProved`)([
    orgId,
    domain,
  ])
  return row?.isProved === 1
}

/**
 * The condition that the domain of an organization (`o`) lets people join: it is proved, or an owner has a confirmed address
 * there.
 */
export const DOMAIN_HOLDS = `(${hasProved('o.id', 'o.allowed_domain')}
  or exists (select 1 from org_members w ${personJoin('w.user_id')} where w.org_id = o.id
    and w.role = 'owner' and u.email_verified = 1 and substr(u.email, instr(u.email, '@') + 1) = o.allowed_domain))`
