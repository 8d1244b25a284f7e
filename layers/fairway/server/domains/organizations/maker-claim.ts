import type { App } from '#fairway/server/kernel/app-context'
import type { InValue } from '#fairway/server/kernel/database/client'
import { AppError } from '#fairway/server/kernel/http/app-error'

/**
 * The condition that the owner of the address behind the account that made this organization has nothing left to say about who
 * uses it. Until then, whoever that account let in must not shut it out.
 */
export const makerIsSettled = (orgId: string, userId?: string): { sql: string; args: InValue[] } => ({
  sql: `not exists (select 1 from organizations o join users maker on maker.id = o.created_by
    where o.id = ? and maker.id = coalesce(?, maker.id) and maker.claim_since is not null)`,
  args: [orgId, userId ?? null],
})

/** Throws `claim-open` where `makerIsSettled` does not hold: to say why nothing was written. */
export async function refuseOpenClaim(app: App, orgId: string, userId?: string): Promise<void> {
  const isSettled = makerIsSettled(orgId, userId)
  const { rows } = await app.db.client.execute({ sql: `select ${isSettled.sql} as isSettled`, args: isSettled.args })
  if (rows[0]?.isSettled === 0) throw new AppError('claim-open')
}
