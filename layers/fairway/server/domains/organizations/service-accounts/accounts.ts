// The programs of an organization. They belong to it and outlive who made them.
import { z } from 'zod'
import { personJoin, shownPersonSql, toShownPerson } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import type { InValue } from '#fairway/server/kernel/database/client'
import { newId } from '#fairway/server/kernel/crypto/random'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { isoTime, isoTimeOrNull } from '#fairway/server/kernel/iso-time'
import { lowerRole } from '#fairway/shared/roles'
import { nameSchema } from '#fairway/shared/schemas/name'
import { SERVICE_ROLES, type ServiceAccount, type ServiceKey } from '#fairway/shared/schemas/service-account'
import { MCP_SCOPES } from '#fairway/shared/scopes'
import { checkAppRole } from '../app-roles'
import { requireMember } from '../members'
import { type Actor, checkMayGive, managesSql } from '../org-context'
import { carriedBy, checkGrants } from '../permissions'

const MOST_ACCOUNTS = 50

/** What can be changed about an account. The public keys are checked by the domain that uses them. */
export const serviceAccountShape = {
  name: nameSchema(60),
  role: z.enum(SERVICE_ROLES),
  /** Its role in the application. A person has one at most, and so has an account. */
  appRoles: z.array(z.string().min(1).max(64)).max(1, 'Name one role at most.'),
  scopes: z.array(z.enum(MCP_SCOPES)).min(1, 'Choose what it may do.').max(MCP_SCOPES.length),
  /** Limits it to reading, whatever its scopes are. */
  readOnly: z.boolean(),
  /** Whether it runs destructive tools without an approval. */
  destructive: z.boolean(),
}

const changesSchema = z.object(serviceAccountShape).partial()
interface Changes extends z.output<typeof changesSchema> {
  /** Public keys; null removes them. */
  jwks?: object | null
  /** The address of the member who becomes its owner of record. */
  owner?: string
}
interface NewAccount extends z.output<z.ZodObject<typeof serviceAccountShape>> {
  jwks?: object | null
}

/** Whether a person may manage the accounts of an organization; the values are both IDs. */
export const MANAGES = managesSql('manage-service-accounts')

/**
 * Makes an account whose owner of record is the actor. Throws `forbidden` for a role above the actor's, `unknown-role`,
 * `unknown-app`, and `service-account-limit` beyond fifty accounts.
 */
export async function addServiceAccount(app: App, actor: Actor, input: NewAccount): Promise<{ id: string }> {
  const { orgId, userId, email } = actor
  await checkMayGive(actor, input.role)
  await checkGrants(app, actor, carriedByAll(app, input))
  const id = newId()
  const now = app.now().getTime()
  const values = toColumns(app, actor, input, now)
  const names = Object.keys(values)
  const { rowsAffected } = await app.db.client.execute({
    sql: `insert into fw_service_accounts (id, org_id, owner_id, created_by, created_at, ${names.join(', ')})
      select ?, ?, ?, ?, ?, ${names.map(() => '?').join(', ')} where ${MANAGES}
        and (select count(*) from fw_service_accounts where org_id = ? and deleted_at is null) < ?`,
    args: [id, orgId, userId, email, now, ...Object.values(values), orgId, userId, orgId, MOST_ACCOUNTS],
  })
  if (rowsAffected === 0) throw new AppError('service-account-limit')
  app.log.info('a service account was made', { account: id, orgId, by: userId })
  return { id }
}

/**
 * Changes an account. Throws `not-found`, what `addServiceAccount` throws, and `forbidden` for an owner of record with a lower role
 * than the account.
 */
export async function changeServiceAccount(app: App, actor: Actor, id: string, changes: Changes): Promise<void> {
  const { orgId, userId } = actor
  const account = await requireServiceAccount(app, orgId, id)
  const role = changes.role ?? account.role
  await checkMayGive(actor, role)
  await checkGrants(app, actor, carriedByAll(app, changes))
  const owner = changes.owner === undefined ? undefined : await requireMember(app, orgId, changes.owner)
  if (owner && lowerRole(owner.role, role) !== role)
    throw new AppError('forbidden', { detail: `The owner of record must be ${role} or more.` })
  const values = {
    ...toColumns(app, actor, changes, app.now().getTime()),
    ...(owner ? { owner_id: owner.userId, inherited_at: null } : {}),
  }
  const set = Object.keys(values).map(name => `${name} = ?`)
  if (set.length === 0) return
  const { rowsAffected } = await app.db.client.execute({
    sql: `update fw_service_accounts set ${set.join(', ')} where id = ? and org_id = ? and deleted_at is null and ${MANAGES}`,
    args: [...Object.values(values), id, orgId, orgId, userId],
  })
  if (rowsAffected === 0) throw new AppError('not-found')
}

/** What the roles that an input gives carry: nobody gives a permission that they lack. */
const carriedByAll = (app: App, { appRoles = [] }: Changes): string[] => appRoles.flatMap(each => carriedBy(app, each))

/** The columns of what an input names. Throws `unknown-role` and `unknown-app`. */
function toColumns(app: App, { userId }: Actor, input: Changes, now: number): Record<string, InValue> {
  const { name, role, appRoles, scopes, readOnly, destructive, jwks } = input
  const appId = app.config.appRoles?.appId ?? ''
  for (const each of appRoles ?? []) checkAppRole(app, each)
  const columns = {
    name,
    role,
    app_roles: appRoles && JSON.stringify(Object.fromEntries(appRoles.map(each => [appId, each]))),
    scopes: scopes && MCP_SCOPES.filter(scope => scopes.includes(scope)).join(' '),
    read_only: readOnly,
    destructive,
    jwks: jwks && JSON.stringify(jwks),
    jwks_at: jwks && now,
    jwks_by: jwks && userId,
  }
  return Object.fromEntries(
    Object.entries(columns).flatMap(([column, value]) => (value === undefined ? [] : [[column, value]])),
  )
}

/** The rows that end with an account, up to its ID. */
const OF_ACCOUNTS = [
  'fw_service_account_keys where account_id',
  'fw_team_members where user_id',
  'fw_org_role_members where user_id',
]

/** Deletes an account with its keys: its next call fails. Its name stays for the audit log. Throws `not-found`. */
export async function endServiceAccount(app: App, { orgId, userId }: Actor, id: string): Promise<void> {
  const [ended] = await app.db.client.batch(
    [
      {
        sql: `update fw_service_accounts set deleted_at = ?, jwks = null, jwks_at = null, jwks_by = null
          where id = ? and org_id = ? and deleted_at is null and ${MANAGES}`,
        args: [app.now().getTime(), id, orgId, orgId, userId],
      },
      ...OF_ACCOUNTS.map(rows => ({
        sql: `delete from ${rows} = ? and exists (
          select 1 from fw_service_accounts a where a.id = ? and a.org_id = ? and a.deleted_at is not null)`,
        args: [id, id, orgId],
      })),
    ],
    'write',
  )
  if (ended?.rowsAffected !== 1) throw new AppError('not-found')
  app.log.info('a service account was deleted', { account: id, orgId, by: userId })
}

interface AccountRow {
  id: string
  name: string
  role: (typeof SERVICE_ROLES)[number]
  appRoles: string
  scopes: string
  readOnly: number
  destructive: number
  hasJwks: number
  owner: string | null
  createdBy: string
  createdAt: number
  lastUsedAt: number | null
}

const LISTED = `select a.id, a.name, a.role, a.app_roles as appRoles, a.scopes, a.read_only as readOnly, a.destructive,
    a.jwks is not null as hasJwks, case when m.user_id is not null then ${shownPersonSql()} end as owner,
    a.created_by as createdBy, a.created_at as createdAt, a.last_used_at as lastUsedAt
  from fw_service_accounts a left join org_members m on m.org_id = a.org_id and m.user_id = a.owner_id
  left ${personJoin('m.user_id')}
  where a.org_id = ? and a.deleted_at is null and a.id = coalesce(?, a.id) order by a.created_at, a.id`

const KEYS = `select k.id, k.account_id as accountId, k.end, k.created_at as createdAt, k.expires_at as expiresAt, k.last_used_at as lastUsedAt
  from fw_service_accounts a join fw_service_account_keys k on k.account_id = a.id
  where a.org_id = ? and a.deleted_at is null and k.expires_at > ? order by k.created_at, k.id`

type KeyRow = Record<'id' | 'accountId' | 'end', string> &
  Record<'createdAt' | 'expiresAt', number> & { lastUsedAt: number | null }

/** The accounts of an organization with their live keys, oldest first; never a key itself. */
export async function listServiceAccounts(app: App, orgId: string): Promise<ServiceAccount[]> {
  const [rows, keys] = await Promise.all([
    app.db.prepareRead<AccountRow>(LISTED)([orgId, null]),
    app.db.prepareRead<KeyRow>(KEYS)([orgId, app.now().getTime()]),
  ])
  return rows.map(row => toAccount(app, row, keys.filter(({ accountId }) => accountId === row.id).map(toKey)))
}

const toKey = ({ id, end, createdAt, expiresAt, lastUsedAt }: KeyRow): ServiceKey => ({
  id,
  end,
  createdAt: isoTime(createdAt),
  expiresAt: isoTime(expiresAt),
  lastUsedAt: isoTimeOrNull(lastUsedAt),
})

function toAccount(app: App, row: AccountRow, keys: ServiceKey[]): ServiceAccount {
  const granted = row.scopes.split(' ')
  return {
    ...row,
    appRoles: appRolesOf(app, row.appRoles),
    scopes: MCP_SCOPES.filter(scope => granted.includes(scope)),
    readOnly: row.readOnly === 1,
    destructive: row.destructive === 1,
    hasJwks: row.hasJwks === 1,
    owner: row.owner === null ? null : toShownPerson(row.owner),
    createdAt: isoTime(row.createdAt),
    lastUsedAt: isoTimeOrNull(row.lastUsedAt),
    keys,
  }
}

function appRolesOf({ config }: App, text: string): string[] {
  const role = z.record(z.string(), z.string()).parse(JSON.parse(text))[config.appRoles?.appId ?? '']
  return role === undefined ? [] : [role]
}

/** The account with this ID in the organization, without its keys. Throws `not-found`. */
export async function requireServiceAccount(app: App, orgId: string, id: string): Promise<ServiceAccount> {
  const [row] = await app.db.prepareRead<AccountRow>(LISTED)([orgId, id])
  if (!row) throw new AppError('not-found')
  return toAccount(app, row, [])
}

/** What the audit log compares before and after a change. Throws `not-found`. */
export async function serviceAccountForAudit(app: App, orgId: string, id: string): Promise<Record<string, unknown>> {
  const { scopes, appRoles, ...account } = await requireServiceAccount(app, orgId, id)
  return { ...account, scopes: scopes.join(' '), appRoles: appRoles.join(' ') }
}

/** Returns the names of service accounts and who made them, by ID; deleted ones too. */
export async function serviceAccountNames(app: App, ids: readonly string[]): Promise<Record<string, string>> {
  if (ids.length === 0) return {}
  const rows = await app.db.prepareRead<{ id: string; name: string }>(
    `select id, name || ' (' || created_by || ')' as name from fw_service_accounts where id in (select value from json_each(?))`,
  )([JSON.stringify(ids)])
  return Object.fromEntries(rows.map(({ id, name }) => [id, name]))
}
