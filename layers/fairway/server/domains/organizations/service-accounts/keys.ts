// The keys of service accounts. An account has two live ones at most: the second replaces the first.
import { crc32 } from 'node:zlib'
import { z } from 'zod'
import { mailPeople, notifyPeople, personJoin } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { newId, randomAlphanumeric, toBase62 } from '#fairway/server/kernel/crypto/random'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { formatTime } from '#fairway/shared/languages'
import { CONNECTED_APPS_PAGE } from '#fairway/shared/paths'
import { SERVICE_KEY_PREFIX, TOKEN_DAYS } from '#fairway/shared/secrets'
import { listManagers } from '../members'
import type { Actor } from '../org-context'
import { orgUrl } from '../org-slugs'
import { MANAGES, requireServiceAccount } from './accounts'

const DAY_IN_MS = 24 * 60 * 60 * 1000
const MOST_LIVE_KEYS = 2

export const serviceKeyInput = z.object({
  expiresInDays: z.union(
    TOKEN_DAYS.map(days => z.literal(days)),
    'Choose 7, 30, 90 or 365 days.',
  ),
})

const KEY_LENGTH = 30
const CHECKSUM_LENGTH = 6

const checksumOf = (key: string): string => toBase62(crc32(key)).padStart(CHECKSUM_LENGTH, '0')

/** A new key: 178 random bits and a checksum, so that scanners sort out forgeries without asking. */
function newServiceKey(): string {
  const key = SERVICE_KEY_PREFIX + randomAlphanumeric(KEY_LENGTH)
  return key + checksumOf(key)
}

/** Whether a text can be a key: its length and its checksum are right. */
export const isWellFormedKey = (key: string): boolean =>
  key.length === SERVICE_KEY_PREFIX.length + KEY_LENGTH + CHECKSUM_LENGTH &&
  checksumOf(key.slice(0, -CHECKSUM_LENGTH)) === key.slice(-CHECKSUM_LENGTH)

/** Makes a key and returns it. It is stored as a hash. Throws `not-found`, and `too-many-keys` beyond two live ones. */
export async function makeServiceKey(
  app: App,
  { orgId, userId }: Actor,
  { id: accountId, expiresInDays }: { id: string } & z.output<typeof serviceKeyInput>,
): Promise<{ key: string; id: string }> {
  await requireServiceAccount(app, orgId, accountId)
  const key = newServiceKey()
  const id = newId()
  const now = app.now().getTime()
  // The statement counts, so that concurrent requests make no third key.
  const { rowsAffected } = await app.db.client.execute({
    sql: `insert into fw_service_account_keys (id, account_id, hash, end, created_by, created_at, expires_at)
      select ?, a.id, ?, ?, ?, ?, ? from fw_service_accounts a where a.id = ? and a.org_id = ? and a.deleted_at is null and ${MANAGES}
        and (select count(*) from fw_service_account_keys k where k.account_id = a.id and k.expires_at > ?) < ${MOST_LIVE_KEYS}`,
    args: [
      id,
      sha256(key),
      key.slice(-4),
      userId,
      now,
      now + expiresInDays * DAY_IN_MS,
      accountId,
      orgId,
      orgId,
      userId,
      now,
    ],
  })
  if (rowsAffected === 0) throw new AppError('too-many-keys')
  app.log.info('a key of a service account was made', { account: accountId, orgId, by: userId })
  return { key, id }
}

/** Revokes a key: the next call with it, or with a token from it, fails. Throws `not-found`. */
export async function endServiceKey(
  app: App,
  { orgId, userId }: Actor,
  { id: accountId, keyId }: { id: string; keyId: string },
): Promise<void> {
  const { rowsAffected } = await app.db.client.execute({
    sql: `delete from fw_service_account_keys where id = ? and account_id = ? and ${MANAGES}
      and exists (select 1 from fw_service_accounts a where a.id = account_id and a.org_id = ?)`,
    args: [keyId, accountId, orgId, userId, orgId],
  })
  if (rowsAffected !== 1) throw new AppError('not-found')
  app.log.info('a key of a service account was revoked', { account: accountId, orgId, by: userId })
}

interface Ending {
  id: string
  orgId: string
  name: string
  endsAt: number
}

// A week before the end, or a quarter of a short life. An account whose next key is there needs no reminder.
const ENDING = `select k.id, a.org_id as orgId, a.name, k.expires_at as endsAt
  from fw_service_account_keys k join fw_service_accounts a on a.id = k.account_id and a.deleted_at is null
  where k.told_at is null and k.expires_at > ?1 and k.expires_at <= ?1 + ${7 * DAY_IN_MS}
    and k.expires_at <= ?1 + (k.expires_at - k.created_at) / 4
    and not exists (select 1 from fw_service_account_keys x where x.account_id = k.account_id and x.expires_at > k.expires_at)`

/** Mails the owners of organizations whose service accounts have a key that ends soon, once each. For the hourly job. */
export async function tellEndingKeys(app: App): Promise<number> {
  const now = app.now().getTime()
  let told = 0
  for (const { id, orgId, name: account, endsAt } of await app.db.prepareRead<Ending>(ENDING)([now])) {
    // One process mails, also when several run the job.
    const { rowsAffected } = await app.db.client.execute({
      sql: 'update fw_service_account_keys set told_at = ? where id = ? and told_at is null',
      args: [now, id],
    })
    if (rowsAffected !== 1) continue
    told += 1
    const href = await orgUrl(app, orgId, CONNECTED_APPS_PAGE)
    const addresses = await listManagers(app, orgId, ['owner'])
    await notifyPeople(app, { orgId, addresses }, 'service-key-ending', language => ({
      values: { account, ends: formatTime(endsAt, language, 'day', 'UTC') },
      href,
    }))
  }
  return told
}

interface Inherited {
  userId: string
  email: string
  since: number
  names: string
}

/** Mails members who became the owner of record of accounts when somebody left, once for all of them. For the hourly job. */
export async function tellInheritors(app: App): Promise<number> {
  const rows = await app.db.prepareRead<Inherited>(
    `select u.id as userId, u.email as email, max(a.inherited_at) as since, group_concat(a.name, ', ') as names
     from fw_service_accounts a ${personJoin('a.owner_id')}
     where a.inherited_at is not null and a.deleted_at is null group by u.id`,
  )([])
  for (const { userId, email, since, names: accounts } of rows) {
    const { rowsAffected } = await app.db.client.execute({
      sql: 'update fw_service_accounts set inherited_at = null where owner_id = ? and inherited_at <= ?',
      args: [userId, since],
    })
    const href = app.config.baseUrl + CONNECTED_APPS_PAGE
    if (rowsAffected > 0)
      await mailPeople(app, [email], 'service-accounts-inherited', () => ({ values: { accounts }, href }))
  }
  return rows.length
}

/** Deletes keys that have ended. */
export const purgeServiceKeys = (app: App) =>
  app.db.client.execute({
    sql: 'delete from fw_service_account_keys where expires_at <= ?',
    args: [app.now().getTime()],
  })
