import type { App } from '#fairway/server/kernel/app-context'
import { isoTime } from '#fairway/server/kernel/iso-time'
import type { GrantAction } from '#fairway/shared/schemas/connection'

interface CalledGrant {
  id: string
  userId: string
  orgId: string
  clientId: string
}

/** Counts the completed writes of a grant by action since a time, the most frequent first. Reads have no audit rows. */
export async function countGrantCalls(app: App, grant: CalledGrant, since: number): Promise<GrantAction[]> {
  // A call that writes several rows leaves several audit rows, of one request and one time. `$from` is the first fact of a row and has no braces in its texts, so it ends at the first one.
  const find = app.memo('grant-calls', () =>
    app.db.prepareRead<{ action: string; times: number; lastAt: number }>(
      `select action, count(distinct request_id || ' ' || at) as times, max(at) as lastAt from audit_log
        where user_id = ? and at > ? and org_id = ? and via = ? and outcome = 'ok'
          and instr(substr(input, 1, instr(input, '}')), ?) > 0
        group by action order by times desc, action`,
    ),
  )
  const { id, userId, orgId, clientId } = grant
  const rows = await find([userId, since, orgId, clientId, `"grant":"${id}"`])
  return rows.map(({ lastAt, ...row }) => ({ ...row, lastAt: isoTime(lastAt) }))
}
