// The directory of an organization: its one token, and who it is.
import type { App } from '#fairway/server/kernel/app-context'
import { type Actor, isInUse, letInStatement } from '#fairway/server/domains/organizations'
import { inBackground } from '#fairway/server/kernel/background'
import { sha256 } from '#fairway/server/kernel/crypto/hash'
import { randomToken } from '#fairway/server/kernel/crypto/random'
import { inTransaction } from '#fairway/server/kernel/database/in-transaction'
import type { DependentRows } from '#fairway/server/kernel/dependent-rows'
import { isoTimeOrNull } from '#fairway/server/kernel/iso-time'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { SCIM_PREFIX } from '#fairway/shared/paths'
import type { Directory } from '#fairway/shared/schemas/directory'
import { endMapping, tellFollowed } from './directory-roles'

const PREFIX = 'fwd_'
const MINUTE_IN_MS = 60 * 1000

/** The directory of an organization; null without one. */
export async function findDirectory(app: App, orgId: string): Promise<Directory | null> {
  const [row] = await app.db.prepareRead<{
    tokenEnd: string
    createdAt: number
    lastUsedAt: number | null
    people: number
    active: number
  }>(
    `select token_end as tokenEnd, created_at as createdAt, last_used_at as lastUsedAt,
      (select count(*) from fw_directory_people p where p.org_id = d.org_id) as people,
      (select count(*) from fw_directory_people p where p.org_id = d.org_id and p.active = 1) as active
     from fw_directories d where org_id = ?`,
  )([orgId])
  if (!row) return null
  const { tokenEnd, people, active } = row
  const endpoint = app.config.baseUrl + SCIM_PREFIX
  return {
    endpoint,
    tokenEnd,
    people,
    active,
    createdAt: isoTimeOrNull(row.createdAt) ?? '',
    lastUsedAt: isoTimeOrNull(row.lastUsedAt),
  }
}

/** Connects a directory, or gives it a new token; the former one ends. The token is shown once. */
export async function connectDirectory(
  app: App,
  { orgId, userId }: Pick<Actor, 'orgId' | 'userId'>,
): Promise<{ endpoint: string; token: string }> {
  const token = PREFIX + randomToken(32)
  const now = app.now().getTime()
  await app.db.client.execute({
    sql: `insert into fw_directories (org_id, token_hash, token_end, created_by, created_at) values (?, ?, ?, ?, ?)
      on conflict (org_id) do update set token_hash = excluded.token_hash, token_end = excluded.token_end,
        created_by = excluded.created_by, created_at = excluded.created_at, last_used_at = null`,
    args: [orgId, sha256(token), token.slice(-4), userId, now],
  })
  app.log.warn('a directory was connected', { orgId, by: userId })
  return { endpoint: app.config.baseUrl + SCIM_PREFIX, token }
}

/** Ends a directory, the roles it gave and the teams of its groups. Its people stay members; whom it removed may come in again. Throws `not-found`. */
export async function endDirectory(app: App, orgId: string): Promise<void> {
  const followed = await inTransaction(app, async on => {
    const { rowsAffected } = await on.execute({ sql: 'delete from fw_directories where org_id = ?', args: [orgId] })
    if (rowsAffected !== 1) throw new AppError('not-found')
    const ended = await endMapping(app, on, orgId)
    for (const table of DIRECTORY_TABLES)
      await on.execute({ sql: `delete from ${table} where org_id = ?`, args: [orgId] })
    await on.execute(letInStatement(orgId))
    return ended
  })
  await tellFollowed(app, orgId, followed)
}

/** The organization of a directory's token; undefined for an unknown one, and while the organization is deleted. */
export async function findDirectoryOrg(app: App, authorization: string | undefined): Promise<string | undefined> {
  const token = /^Bearer ([\w-]{10,200})$/i.exec(authorization ?? '')?.[1]
  if (!token?.startsWith(PREFIX)) return undefined
  const [row] = await app.db.prepareRead<{ orgId: string; lastUsedAt: number | null }>(
    'select org_id as orgId, last_used_at as lastUsedAt from fw_directories where token_hash = ?',
  )([sha256(token)])
  if (!row || !(await isInUse(app, row.orgId))) return undefined
  const now = app.now().getTime()
  if (now - (row.lastUsedAt ?? 0) > MINUTE_IN_MS) {
    inBackground(app, 'touch-directory', async () => {
      await app.db.client.execute({
        sql: 'update fw_directories set last_used_at = ? where org_id = ?',
        args: [now, row.orgId],
      })
    })
  }
  return row.orgId
}

const DIRECTORY_TABLES = [
  'fw_directories',
  'fw_directory_people',
  'fw_directory_groups',
  'fw_directory_group_members',
  'fw_directory_mapping',
]

const NEEDS = 'The directory needs this domain: disconnect it, or remove its people of this domain first.'

/** What happens to the rows of a directory with its organization and its people. */
export const directoryRows: DependentRows = {
  forgetOrganization: ({ sql, args }) =>
    DIRECTORY_TABLES.map(table => ({ sql: `delete from ${table} where ${sql}`, args })),
  needsDomain: (
    orgId,
    domain,
    isLast,
  ) => `select 'directory', null, null, '${NEEDS}' from fw_directories d where d.org_id = ${orgId}
    and (${isLast} or exists (select 1 from fw_directory_people p
      where p.org_id = d.org_id and substr(p.email, instr(p.email, '@') + 1) = ${domain}))`,
  forgetPerson: ({ userId }) => [
    { sql: 'update fw_directory_people set user_id = null where user_id = ?', args: [userId] },
  ],
  changeAddress: ({ userId, newEmail }) => [
    { sql: 'update fw_directory_people set email = ? where user_id = ?', args: [newEmail, userId] },
  ],
}
