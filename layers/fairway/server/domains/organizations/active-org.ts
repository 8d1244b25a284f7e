import { ACTIVE_ORG_SETTING, PEOPLE, writeSettingSql } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import type { InStatement, ResultSet } from '#fairway/server/kernel/database/client'
import type { SqlPart } from '#fairway/server/kernel/dependent-rows'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { listOrgCredentialKeys } from './vault'
import { orgContextJoin } from './org-context'

interface OrgName {
  id: string
  name: string
}

const WITHOUT_ORGANIZATION = ''
const MOVED = 'movedUserId'

/**
 * The only statements that write the `active-org-id` setting, for transactions. `who` selects people (`u`, whose active
 * organization is `m`). `to` is the id of the organization that each of them works in from then on, empty for none. The first
 * statement reads the rows that the second one changes, so `logMoves` finds them in the results.
 */
export function activeOrgStatements({ who, to }: { who: SqlPart; to: SqlPart }): InStatement[] {
  const people = `from ${PEOPLE} ${orgContextJoin} where ${who.sql}`
  return [
    {
      sql: `select moved.*, t.name as toName from (
          select u.id as ${MOVED}, m.org_id as fromId, o.name as fromName, ${to.sql} as toId ${people}) moved
        left join organizations t on t.id = moved.toId`,
      args: [...to.args, ...who.args],
    },
    {
      sql: writeSettingSql(ACTIVE_ORG_SETTING, to.sql, people),
      args: [...to.args, ...who.args],
    },
  ]
}

/** Moves people to an organization that they are members of at that moment; `when` is a further condition. */
export const moveStatements = (userId: string, orgId: string, when: SqlPart = { sql: '1', args: [] }): InStatement[] =>
  activeOrgStatements({
    who: {
      sql: `u.id = ? and exists (select 1 from org_members x where x.user_id = u.id and x.org_id = ?) and ${when.sql}`,
      args: [userId, orgId, ...when.args],
    },
    to: { sql: '?', args: [orgId] },
  })

/** The same, to none for null. */
const moveOrLeaveStatements = (userId: string, orgId: string | null, when: SqlPart): InStatement[] =>
  orgId === null
    ? activeOrgStatements({
        who: { sql: `u.id = ? and ${when.sql}`, args: [userId, ...when.args] },
        to: { sql: '?', args: [WITHOUT_ORGANIZATION] },
      })
    : moveStatements(userId, orgId, when)

/**
 * Moves a person to one of their organizations, or to none (null). A move out of an organization is logged as a warning with both
 * names and the credentials left behind. Throws `forbidden` when the person is not a member.
 */
export async function setActiveOrgId(
  app: App,
  { userId }: { userId: string },
  orgId: string | null,
  reason: string,
): Promise<void> {
  if (!(await move(app, moveOrLeaveStatements(userId, orgId, { sql: '1', args: [] }), reason))) {
    throw new AppError('forbidden', { detail: 'You are not a member of this organization.' })
  }
}

/** The same without a confirmation: false when the person works in an organization other than this one and `closedId`. */
export const setActiveOrgIdFromNone = (
  app: App,
  { userId }: { userId: string },
  { orgId, closedId = null, reason }: { orgId: string | null; closedId?: string | null; reason: string },
): Promise<boolean> => {
  const isFree = { sql: '(m.org_id is null or m.org_id = ? or m.org_id = ?)', args: [orgId, closedId] }
  return move(app, moveOrLeaveStatements(userId, orgId, isFree), reason)
}

async function move(app: App, statements: InStatement[], reason: string): Promise<boolean> {
  const results = await app.db.client.batch(statements, 'write')
  await logMoves(app, results, reason, { isLeavingLogged: true })
  return results[0]?.rows.length === 1
}

/**
 * For transactions that end memberships, while their rows still exist. People who work in an organization that ends for them move
 * to their oldest remaining one. A person with none left works without one and gets no new default organization.
 */
export const moveOnStatements = ({ sql, args }: SqlPart): InStatement[] =>
  activeOrgStatements({
    // The condition is about `m`, which is here the organization that each of them works in.
    who: {
      sql: `u.id in (select m.user_id from org_members m where ${sql}) and m.user_id is not null and (${sql})`,
      args: [...args, ...args],
    },
    to: {
      sql: `coalesce((select x.org_id from org_members x where x.user_id = u.id
          and not exists (select 1 from org_members m where m.rowid = x.rowid and (${sql}))
        order by x.joined_at, x.org_id limit 1), '${WITHOUT_ORGANIZATION}')`,
      args,
    },
  })

/**
 * For transactions that add a member, before the row exists. The first organization becomes the active one. Otherwise the person
 * stays in their active one, and that choice is stored: an old choice or the order of memberships must not move them.
 */
export const joinStatements = (userId: string, orgId: string, when: SqlPart): InStatement[] =>
  joinAllStatements({
    who: { sql: `u.id = ? and ${when.sql}`, args: [userId, ...when.args] },
    to: { sql: '?', args: [orgId] },
  })

/** The same for many people (`u`); `to` is the organization that each of them joins. */
export const joinAllStatements = ({ who, to }: { who: SqlPart; to: SqlPart }): InStatement[] =>
  activeOrgStatements({
    who,
    to: {
      sql: `case when exists (select 1 from org_members x where x.user_id = u.id)
        then coalesce(m.org_id, '${WITHOUT_ORGANIZATION}') else ${to.sql} end`,
      args: to.args,
    },
  })

/**
 * Logs a warning for each move between two organizations in the results of a transaction, with the credentials left behind. With
 * `isLeavingLogged` also for a move to none, because a move to another organization in two steps must not pass unnoticed.
 */
export async function logMoves(
  app: App,
  results: readonly ResultSet[],
  reason: string,
  { isLeavingLogged = false } = {},
): Promise<void> {
  const keysOf = new Map<string, string[]>()
  for (const row of results.filter(({ columns }) => columns[0] === MOVED).flatMap(({ rows }) => rows)) {
    const from = toOrgName(row.fromId, row.fromName)
    const to = toOrgName(row.toId, row.toName)
    if (!from || from.id === to?.id || (!to && !isLeavingLogged)) continue
    const keys = keysOf.get(from.id) ?? (await listOrgCredentialKeys(app, from.id))
    keysOf.set(from.id, keys)
    // The log redacts values under the names of secrets. These are only the names of credentials.
    const what = { userId: row[MOVED], from, to, reason, noLongerReadable: keys }
    app.log.warn('the active organization of an account has changed', what)
  }
}

const toOrgName = (id: unknown, name: unknown): OrgName | null =>
  typeof id === 'string' && id !== WITHOUT_ORGANIZATION ? { id, name: String(name ?? '') } : null
