// Sessions of browsers end without their root secret, because nothing verifies their cookies. A mark does the same for grants,
// whose tokens are random or signed by another key.
import type { App } from '#fairway/server/kernel/app-context'
import type { Config } from '#fairway/server/kernel/config/config'
import type { SealedColumn } from '#fairway/server/kernel/crypto/reseal'
import { seal } from '#fairway/server/kernel/crypto/seal'
import { signingKeySealedColumns } from './signing-keys'

const MARK = 'oauth-grant'

/** The sealed columns of grants and signing keys, for `fw secrets reseal`. */
export const oauthSealedColumns: SealedColumn[] = [
  ...signingKeySealedColumns,
  { table: 'oauth_grants', column: 'root_mark', purpose: MARK, context: ({ id }) => String(id) },
]

/** The mark of a new grant: an empty text, sealed with the current root secret. */
export const rootMark = ({ config }: App, grantId: string): string => seal(config.keys, MARK, '', grantId)

/** Whether a grant was made under one of our root secrets. Key ids are hexadecimal. */
export const hasRootSecret = ({ keys }: Pick<Config, 'keys'>, grant = 'g'): string => {
  const ids = keys.all(MARK).map(({ id }) => `'${id}'`)
  return `(${grant}.root_mark is null or substr(${grant}.root_mark, 1, 8) in (${ids.join(', ')}))`
}
