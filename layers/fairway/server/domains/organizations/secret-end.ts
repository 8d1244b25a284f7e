// The end of a connection's client secret: providers end secrets, and then nobody signs in any more.
import { notifyPeople } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { formatTime } from '#fairway/shared/languages'
import { SINGLE_SIGN_ON_PAGE } from '#fairway/shared/paths'
import type { ConnectionRow } from './connections'
import { listManagers } from './members'
import { orgUrl } from './org-slugs'

const DAY_IN_MS = 24 * 60 * 60 * 1000
/** How many days before the end owners are told. */
const [FIRST, LAST] = [30, 7] as const

/** Sets when the client secret ends, as a date; null for no end. Another date is told again. */
export async function setSecretEnd(app: App, { id }: Pick<ConnectionRow, 'id'>, endsOn: string | null): Promise<void> {
  const endsAt = endsOn === null ? null : Date.parse(endsOn)
  await app.db.client.execute({
    sql: `update fw_org_connections set secret_ends_at = ?, secret_told_days = null where id = ? and secret_ends_at is not ?`,
    args: [endsAt, id, endsAt],
  })
}

interface Ending {
  id: string
  orgId: string
  name: string
  endsAt: number
  toldDays: number | null
}

/** Mails the owners of active connections whose secret ends within 30 and 7 days, once each. For the hourly job. */
export async function tellEndingSecrets(app: App): Promise<number> {
  const now = app.now().getTime()
  const find = app.db.prepareRead<Ending>(
    `select id, org_id as orgId, name, secret_ends_at as endsAt, secret_told_days as toldDays from fw_org_connections
     where secret_ends_at is not null and secret_ends_at > ?1 and secret_ends_at <= ?1 + ${FIRST * DAY_IN_MS}
       and state = 'active' and client_auth = 'secret'
       and (secret_told_days is null or (secret_told_days > ${LAST} and secret_ends_at <= ?1 + ${LAST * DAY_IN_MS}))`,
  )
  let told = 0
  for (const row of await find([now])) {
    const days = row.endsAt - now <= LAST * DAY_IN_MS ? LAST : FIRST
    // One process mails, also when several run the job.
    const { rowsAffected } = await app.db.client.execute({
      sql: 'update fw_org_connections set secret_told_days = ? where id = ? and secret_told_days is ? and secret_ends_at = ?',
      args: [days, row.id, row.toldDays, row.endsAt],
    })
    if (rowsAffected !== 1) continue
    await mailOwners(app, row)
    told += 1
  }
  return told
}

async function mailOwners(app: App, { orgId, name: connection, endsAt }: Ending): Promise<void> {
  const href = await orgUrl(app, orgId, SINGLE_SIGN_ON_PAGE)
  const addresses = await listManagers(app, orgId, ['owner'])
  await notifyPeople(app, { orgId, addresses }, 'secret-ending', language => ({
    values: { connection, ends: formatTime(endsAt, language, 'day', 'UTC') },
    href,
  }))
}
