import { envTable } from '#fairway/server/kernel/config/env'
import type { Variable } from '#fairway/server/kernel/config/env-variable'
import type { Setting } from '#fairway/shared/schemas/operator'

/** A password in an address, for example of a database. It must not be shown. */
const PASSWORD_IN_ADDRESS = /(:\/\/[^:/@\s]*):[^@\s]+@/g
const TOKEN_IN_QUERY = /([?&](?:authToken|token|key|secret|password)=)[^&\s]+/gi

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
  value.replaceAll(PASSWORD_IN_ADDRESS, '$1:…@').replaceAll(TOKEN_IN_QUERY, '$1…')
