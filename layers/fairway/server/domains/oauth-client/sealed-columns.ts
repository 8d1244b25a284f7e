import type { SealedColumn } from '#fairway/server/kernel/crypto/reseal'
import { TOKEN_PURPOSE, tokenContext } from './sealed-tokens'

/** What of the connections is sealed with the application's secret; states live ten minutes and are left. */
export const connectionSealedColumns: SealedColumn[] = (['access', 'refresh'] as const).map(kind => ({
  table: 'oauth_tokens',
  column: `${kind}_token`,
  purpose: TOKEN_PURPOSE,
  context: row => tokenContext(String(row.row_id), kind),
}))
