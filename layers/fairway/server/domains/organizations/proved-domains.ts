// Domains that an organization proves by a TXT record. A proof covers exactly the domain, none of its subdomains.
import type { App } from '#fairway/server/kernel/app-context'
import { notifyPeople } from '#fairway/server/domains/people'
import { randomHex } from '#fairway/server/kernel/crypto/random'
import { isoTimeOrNull } from '#fairway/server/kernel/iso-time'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { SINGLE_SIGN_ON_PAGE } from '#fairway/shared/paths'
import type { ProvedDomain, SeenRecord } from '#fairway/shared/schemas/domain'
import { inUse, isRequired } from './connection-state'
import { findRecord, recordOf } from './domain-record'
import { normalDomain, requireDomain } from './domain-names'
import type { Actor } from './org-context'
import { listManagers } from './members'
import type { orgDomains } from './tables'
import { orgUrl } from './org-slugs'

const HOUR_IN_MS = 60 * 60 * 1000
const DAY_IN_MS = 24 * HOUR_IN_MS
/** Definite answers without the record, within a week, after which a proof lapses. */
const MOST_MISSES = 3
/** Answers closer together count once, so that pressing the button three times ends nothing. */
const MISS_PAUSE_IN_MS = 20 * HOUR_IN_MS
const CHECK_PAUSE_IN_MS = 23 * HOUR_IN_MS
/** How long a lapsed domain is kept from others. */
const HELD_IN_MS = 30 * DAY_IN_MS
const MOST_DOMAINS = 50
const CHECKED_AT_ONCE = 10

type Row = Pick<typeof orgDomains.$inferSelect, 'domain' | 'token' | 'status'> & {
  orgId: string
  provedAt: number | null
  checkedAt: number | null
}

const COLUMNS = `org_id as orgId, domain, token, status, proved_at as provedAt, checked_at as checkedAt`

const toEntry = ({ domain, token, status, provedAt, checkedAt }: Row): ProvedDomain => ({
  domain,
  status,
  record: recordOf({ domain, token }),
  provedAt: isoTimeOrNull(provedAt),
  checkedAt: isoTimeOrNull(checkedAt),
})

/** Whether a domain (`fw_org_domains`) is the last one that is proved. */
const IS_LAST = `(fw_org_domains.status <> 'pending' and not exists (select 1 from fw_org_domains x
  where x.org_id = fw_org_domains.org_id and x.status = 'proved' and x.domain <> fw_org_domains.domain))`

const SERVING = `fw_org_connections c where c.org_id = fw_org_domains.org_id and c.state = 'active'
  and (c.domain = fw_org_domains.domain or (c.domain is null and ${IS_LAST}))`

/**
 * Selects what needs a domain, what ends first coming first: the sign-in rule, active connections, as their own or the last one, and
 * rows of other domains.
 */
const needsDomain = ({ dependents }: App): string =>
  [
    `select 'rule' as kind, c.id as id, c.name as name, 'The sign-in policy requires “' || c.name || '”. Change the policy first.' as reason
      from ${SERVING} and ${isRequired('c.org_id', 'c.id')}`,
    `select 'connection', c.id, c.name, 'The connection “' || c.name || '” is active for this domain. Deactivate it first.'
      from ${SERVING}`,
    ...dependents.flatMap(rows => rows.needsDomain?.('fw_org_domains.org_id', 'fw_org_domains.domain', IS_LAST) ?? []),
  ].join(' union all ')

/** The domains of an organization, by name. */
export async function listDomains(app: App, orgId: string): Promise<ProvedDomain[]> {
  const rows = await app.db.prepareRead<Row>(`select ${COLUMNS} from fw_org_domains where org_id = ? order by domain`)([
    orgId,
  ])
  return rows.map(toEntry)
}

/**
 * Returns the domain with the record to publish; claiming it again returns the same record. Others may claim it too: the check
 * decides. Throws `invalid-input`, `free-mail-domain`, `public-suffix-domain` and `domain-limit`.
 */
export async function claimDomain(
  app: App,
  { orgId, userId }: Pick<Actor, 'orgId' | 'userId'>,
  typed: string,
): Promise<ProvedDomain> {
  const domain = requireDomain(typed, 'domain')
  await app.db.client.execute({
    sql: `insert into fw_org_domains (org_id, domain, token, status, created_by, created_at)
      select ?, ?, ?, 'pending', ?, ? where (select count(*) from fw_org_domains where org_id = ?) < ? on conflict do nothing`,
    args: [orgId, domain, randomHex(20), userId, app.now().getTime(), orgId, MOST_DOMAINS],
  })
  const row = await findDomain(app, orgId, domain)
  if (!row) throw new AppError('domain-limit')
  return toEntry(row)
}

/**
 * Looks for the record now. A found record proves the domain; a missing one counts, once a day, towards the end of a proof.
 * Throws `not-found`, and `domain-taken` when another organization has proved it.
 */
export async function checkDomain(
  app: App,
  orgId: string,
  typed: string,
): Promise<ProvedDomain & { seen: SeenRecord }> {
  const row = await findDomain(app, orgId, normalDomain(typed))
  if (!row) throw new AppError('not-found')
  const seen = await findRecord(app, row)
  const isTaken = !(await noteAnswer(app, row, seen))
  if (isTaken) throw new AppError('domain-taken')
  const after = await findDomain(app, orgId, row.domain)
  if (!after) throw new AppError('not-found')
  return { ...toEntry(after), seen }
}

/** Gives a domain up. Throws `not-found`, and `in-use` while an active connection or the directory needs it. */
export async function removeDomain(app: App, orgId: string, typed: string): Promise<void> {
  const domain = normalDomain(typed)
  const { rowsAffected } = await app.db.client.execute({
    sql: `delete from fw_org_domains where org_id = ? and domain = ? and not exists (${needsDomain(app)})`,
    args: [orgId, domain],
  })
  if (rowsAffected === 1) return
  const [row] = await app.db.prepareRead<{ uses: string }>(
    `select (select json_group_array(json_object('kind', kind, 'id', id, 'name', name, 'reason', reason)) from (${needsDomain(app)}))
       as uses from fw_org_domains where org_id = ? and domain = ?`,
  )([orgId, domain])
  if (!row) throw new AppError('not-found')
  throw inUse(JSON.parse(row.uses))
}

/** Checks every domain that was proved once and has not been checked for a day. For the hourly job. */
export async function checkDueDomains(app: App): Promise<{ checked: number }> {
  const find = app.db.prepareRead<Row>(
    `select ${COLUMNS} from fw_org_domains where status in ('proved', 'lapsed') and checked_at <= ?
     order by checked_at limit ${CHECKED_AT_ONCE}`,
  )
  const until = app.now().getTime() - CHECK_PAUSE_IN_MS
  let checked = 0
  for (let due = await find([until]); due.length > 0; due = await find([until])) {
    await Promise.all(due.map(async row => noteAnswer(app, row, await findRecord(app, row))))
    checked += due.length
  }
  return { checked }
}

async function findDomain(app: App, orgId: string, domain: string): Promise<Row | undefined> {
  const find = app.db.prepareRead<Row>(`select ${COLUMNS} from fw_org_domains where org_id = ? and domain = ?`)
  return (await find([orgId, domain]))[0]
}

/** Returns false for a record that was found while another organization holds the domain. */
async function noteAnswer(app: App, row: Row, { answer }: SeenRecord): Promise<boolean> {
  if (answer === 'found') return noteFound(app, row)
  if (answer === 'missing') await noteMissing(app, row)
  else
    await app.db.client.execute({
      sql: 'update fw_org_domains set checked_at = ? where org_id = ? and domain = ?',
      args: [app.now().getTime(), row.orgId, row.domain],
    })
  return true
}

async function noteFound(app: App, { orgId, domain, token, status }: Row): Promise<boolean> {
  const now = app.now().getTime()
  const [, proved] = await app.db.client.batch(
    [
      {
        sql: `delete from fw_org_domains where domain = ? and org_id <> ? and status = 'lapsed' and lapsed_at <= ?`,
        args: [domain, orgId, now - HELD_IN_MS],
      },
      {
        sql: `update fw_org_domains set status = 'proved', proved_at = case status when 'proved' then proved_at else ? end,
          checked_at = ?, misses = 0, missed_since = null, missed_at = null, lapsed_at = null
          where org_id = ? and domain = ? and token = ? and not exists (
            select 1 from fw_org_domains other where other.domain = ? and other.org_id <> ? and other.status <> 'pending')`,
        args: [now, now, orgId, domain, token, domain, orgId],
      },
    ],
    'write',
  )
  if (proved?.rowsAffected !== 1) return false
  if (status !== 'proved') app.log.info('a domain was proved', { orgId, domain })
  return true
}

async function noteMissing(app: App, { orgId, domain }: Row): Promise<void> {
  const now = app.now().getTime()
  const key = [orgId, domain]
  const isAgain = `missed_at > ${now - MISS_PAUSE_IN_MS}`
  const isSameWeek = `missed_since > ${now - 7 * DAY_IN_MS}`
  const [, lapsed] = await app.db.client.batch(
    [
      {
        sql: `update fw_org_domains set checked_at = ?,
          misses = case when ${isAgain} then misses when ${isSameWeek} then misses + 1 else 1 end,
          missed_since = case when ${isAgain} or ${isSameWeek} then missed_since else ? end,
          missed_at = case when ${isAgain} then missed_at else ? end
          where org_id = ? and domain = ? and status <> 'pending'`,
        args: [now, now, now, ...key],
      },
      {
        sql: `update fw_org_domains set status = 'lapsed', lapsed_at = ?
          where org_id = ? and domain = ? and status = 'proved' and misses >= ?`,
        args: [now, ...key, MOST_MISSES],
      },
      {
        sql: `update fw_org_domains set checked_at = ? where org_id = ? and domain = ? and status = 'pending'`,
        args: [now, ...key],
      },
    ],
    'write',
  )
  if (lapsed?.rowsAffected !== 1) return
  app.log.warn('a domain is no longer proved: its record is gone', { orgId, domain })
  const addresses = await listManagers(app, orgId, ['owner'])
  const href = await orgUrl(app, orgId, SINGLE_SIGN_ON_PAGE)
  await notifyPeople(app, { orgId, addresses }, 'domain-lapsed', { values: { domain }, href })
}
