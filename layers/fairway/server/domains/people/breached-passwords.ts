// Checks a password against known breaches by k-anonymity: the service receives five of the forty digits of its hash.
import { z } from 'zod'
import type { App } from '#fairway/server/kernel/app-context'
import { sha1Hex } from '#fairway/server/kernel/crypto/hash'

const PREFIX_LENGTH = 5
const LIMIT_IN_MS = 2000
/** A padded response has about 1,000 lines of 40 characters. */
const MOST_CHARACTERS = 500_000

/** A line of the range format: the rest of a hash and how often its password was found. Padding lines have the count 0. */
const lineSchema = z.string().regex(/^[0-9A-F]{35}:\d+$/i)

/**
 * Whether the service at `FW_BREACHED_PASSWORDS` knows this password from a breach; false where it is not set. When the service
 * takes longer than two seconds or does not use the range format, the failure is logged and the password is accepted.
 */
export async function isBreached(app: Pick<App, 'config' | 'fetch' | 'log'>, password: string): Promise<boolean> {
  const { breachedAddress } = app.config.password
  if (breachedAddress === undefined) return false
  const hash = sha1Hex(password)
  try {
    const response = await app.fetch(breachedAddress + hash.slice(0, PREFIX_LENGTH), {
      headers: { 'add-padding': 'true', accept: 'text/plain', 'user-agent': 'nuxt-fairway' },
      redirect: 'error',
      signal: AbortSignal.timeout(LIMIT_IN_MS),
    })
    if (!response.ok) throw new Error(`the status ${response.status}`)
    return findCount(await response.text(), hash.slice(PREFIX_LENGTH)) > 0
  } catch (error) {
    app.log.warn('a password could not be compared with known breaches', { error })
    return false
  }
}

function findCount(text: string, rest: string): number {
  if (text.length > MOST_CHARACTERS) throw new Error('a longer answer than the range format has')
  const lines = text.split(/\r?\n/).filter(line => line !== '')
  const counts = new Map(lines.map(line => toEntry(lineSchema.parse(line))))
  return counts.get(rest) ?? 0
}

function toEntry(line: string): [rest: string, count: number] {
  const [rest = '', count = ''] = line.split(':')
  return [rest.toUpperCase(), Number(count)]
}
