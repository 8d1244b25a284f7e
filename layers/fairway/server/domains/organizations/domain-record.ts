import { Resolver } from 'node:dns/promises'
import type { App } from '#fairway/server/kernel/app-context'
import type { SeenRecord } from '#fairway/shared/schemas/domain'

const LIMIT_OF_A_TRY_IN_MS = 2000
const TRIES = 2
const MOST_VALUES_SHOWN = 10
const NAME = '_fairway-challenge'
/** The codes of answers that a name, or a text at it, does not exist. All others are not about the zone's contents. */
const IS_MISSING = new Set(['ENOTFOUND', 'ENODATA'])

/** The TXT record that proves a domain. */
export const recordOf = ({ domain, token }: { domain: string; token: string }) => ({
  name: `${NAME}.${domain}`,
  value: `fairway-domain=${token}`,
})

/**
 * Asks the DNS for the record of a domain. One matching text among others is enough. Without a match it looks for common
 * mistakes. Never throws: a time-out or a refusal is the answer `none`.
 */
export async function findRecord(app: App, claim: { domain: string; token: string }): Promise<SeenRecord> {
  const { name, value } = recordOf(claim)
  const dns = new Resolver({ timeout: LIMIT_OF_A_TRY_IN_MS, maxTimeout: LIMIT_OF_A_TRY_IN_MS, tries: TRIES })
  if (app.config.dnsServers.length > 0) dns.setServers(app.config.dnsServers)
  const [texts, alias] = await Promise.all([textsAt(dns, name), aliasOf(dns, name)])
  if (!texts) return { answer: 'none', values: [], hint: null, alias }
  const values = texts.slice(0, MOST_VALUES_SHOWN)
  if (texts.includes(value)) return { answer: 'found', values, hint: alias ? 'alias' : null, alias }
  return { answer: 'missing', values, hint: await findMistake(dns, claim, texts), alias }
}

/** The texts at a name, each joined from its parts; undefined without an answer that counts. */
async function textsAt(dns: Resolver, name: string): Promise<string[] | undefined> {
  try {
    return (await dns.resolveTxt(name)).map(parts => parts.join('').trim())
  } catch (error) {
    return error instanceof Error && 'code' in error && IS_MISSING.has(String(error.code)) ? [] : undefined
  }
}

const aliasOf = async (dns: Resolver, name: string): Promise<string | null> =>
  (await dns.resolveCname(name).catch(() => []))[0] ?? null

async function findMistake(
  dns: Resolver,
  claim: { domain: string; token: string },
  texts: readonly string[],
): Promise<SeenRecord['hint']> {
  const { name, value } = recordOf(claim)
  if (texts.some(text => text.replace(/["'\s]/g, '') === value)) return 'quoted'
  // Many DNS panels append the zone to the name that is typed.
  const [doubled, atDomain] = await Promise.all([textsAt(dns, `${name}.${claim.domain}`), textsAt(dns, claim.domain)])
  if (doubled?.includes(value)) return 'doubled-name'
  return atDomain?.includes(value) ? 'at-domain' : null
}
