import type { App } from '#fairway/server/kernel/app-context'
import { constantTimeEqual, hmacBase64 } from '#fairway/server/kernel/crypto/hash'
import type { auditLog } from '../tables'

export type AuditRow = typeof auditLog.$inferSelect

const PURPOSE = 'audit-chain'

/** The chain that a row belongs to. */
export const chainOf = ({ orgId }: Pick<AuditRow, 'orgId'>): string => orgId ?? 'none'

/** What stands for a row in its chain: everything that it says, its place, and the hash of the row before it. */
function content(row: AuditRow, seq: number, before: string): string {
  const { id, at, action, caller, via, userId, userEmail, orgId, outcome, errorCode, requestId, input, times } = row
  return JSON.stringify([
    before,
    seq,
    id,
    at.getTime(),
    action,
    caller,
    via,
    userId,
    userEmail,
    orgId,
    outcome,
    errorCode,
    requestId,
    input,
    // A row that stands for one is chained as it was before rows could count: both may run side by side during an update.
    ...(times === 1 ? [] : [times]),
  ])
}

/** The hash of a row at this place, with the current key; who can only write to the database cannot make one. */
export function chainHash(app: App, row: AuditRow, seq: number, before: string): string {
  const key = app.config.keys.current(PURPOSE)
  return `${key.id}.${hmacBase64(key.secret, content(row, seq, before))}`
}

/** Whether a hash is the one of this row at this place; `unknown-key` when the secret that made it is not known any more. */
export function checkChainHash(app: App, row: AuditRow, seq: number, before: string): 'good' | 'wrong' | 'unknown-key' {
  const [keyId, made = ''] = (row.hash ?? '').split('.')
  const key = app.config.keys.all(PURPOSE).find(({ id }) => id === keyId)
  if (!key) return 'unknown-key'
  return constantTimeEqual(made, hmacBase64(key.secret, content(row, seq, before))) ? 'good' : 'wrong'
}
