import { domainToASCII } from 'node:url'
import freeMailDomains from 'email-providers/all.json' with { type: 'json' }
import { getDomain, getPublicSuffix } from 'tldts'

const freeMail = new Set(freeMailDomains)

/** The domain of an address or a typed domain in its one form: ASCII (IDNA), lower case, no final dot; empty when it is none. */
export function normalDomain(text: string): string {
  const domain = domainToASCII(text.trim().replace(/^@/, '').replace(/\.$/, '')).toLowerCase()
  return /^(?=.{1,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/.test(domain) ? domain : ''
}

/** The normal domain of an e-mail address. */
export const domainOf = (email: string): string => normalDomain(email.slice(email.lastIndexOf('@') + 1))

/** True for domains that give addresses to everyone. */
export const isFreeMailDomain = (domain: string): boolean =>
  freeMail.has(domain) || freeMail.has(getDomain(domain) ?? '')

/** True for names like `co.uk` below which strangers have their domains. */
export const isPublicSuffix = (domain: string): boolean =>
  getPublicSuffix(domain, { allowPrivateDomains: true }) === domain

/** The domain of an address when it can belong to one company, else an empty text, which no organization has. */
export function corporateDomainOf(email: string): string {
  const domain = domainOf(email)
  return isFreeMailDomain(domain) ? '' : domain
}
