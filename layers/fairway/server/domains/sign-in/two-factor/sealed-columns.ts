import type { SealedColumn } from '#fairway/server/kernel/crypto/reseal'
import { SECRET_PURPOSE } from './second-factor-code'

/** What of second factors is sealed with the application's secret. */
export const twoFactorSealedColumns: SealedColumn[] = [
  { table: 'two_factor', column: 'secret', purpose: SECRET_PURPOSE, context: ({ user_id: userId }) => String(userId) },
]
