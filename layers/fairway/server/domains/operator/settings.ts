import { envTable } from '#fairway/server/kernel/config/env'
import type { Variable } from '#fairway/server/kernel/config/env-variable'
import type { Setting } from '#fairway/shared/schemas/operator'

/** An address, up to the next one of a list or the quote that ends it in JSON. */
const ADDRESS = /\b([a-z][\w+.-]*:\/\/)((?:(?!,\s*[a-z][\w+.-]*:\/\/)[^\s"])+)/gi

/** Lists every setting of the environment as this process has it, without the values of secrets. */
export const listSettings = (source: Record<string, string | undefined>): Setting[] =>
  Object.entries<Variable>(envTable).map(([name, { group, description, unset = null, secret = false }]) => {
    const value = source[name] || null
    return {
      name,
      group,
      description,
      unset,
      isSecret: secret,
      isSet: value !== null,
      value: secret || value === null ? null : withoutSecrets(value),
    }
  })

const withoutSecrets = (value: string): string =>
  value.replaceAll(ADDRESS, (address: string, scheme: string, rest: string) =>
    scheme === 'file://' ? address : scheme + hostOf(rest),
  )

/** The host and port. Every other part may be a password or a token, so a text that could be read in two ways is hidden whole. */
function hostOf(rest: string): string {
  const end = rest.search(/[/?#]/)
  const [authority, path] = end < 0 ? [rest, ''] : [rest.slice(0, end), rest.slice(end)]
  const [host = '', ...before] = authority.split('@').toReversed()
  if (before.length > 1 || path.includes('@')) return '…'
  return `${before.length > 0 ? '…@' : ''}${host}${path.length > 1 ? '/…' : path}`
}
