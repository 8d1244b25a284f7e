// The roles that owners and admins make of the application's permissions, and who holds them.
import { sql } from 'drizzle-orm'
import type { App } from '#fairway/server/kernel/app-context'
import { newId } from '#fairway/server/kernel/crypto/random'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { foldText } from '#fairway/shared/fold-text'
import { mayInOrg } from '#fairway/shared/roles'
import type { OrganizationRole, OrganizationRoles, RolePlan } from '#fairway/shared/schemas/organization-role'
import type { Actor } from '../org-context'
import { checkGrants, listHeld } from '../permissions'
import {
  HOLDERS,
  IS_HOLDER,
  listHolders,
  lossesOf,
  MANAGES_ROLES,
  mayGrant,
  requireRole,
  type RoleRow,
  toHolder,
} from './assignments'

const MOST_ROLES = 50

/** The permissions of the application and the roles of the organization. Only those who manage roles see the holders. */
export async function listRoles(app: App, actor: Actor): Promise<OrganizationRoles> {
  const { orgId, userId, role } = actor
  const { permissions, appRoles } = app.config
  const canManage = mayInOrg(role, 'manage-roles')
  const [roles, holders, myRoles, mine] = await Promise.all([
    app.db.prepareRead<RoleRow>('select id, name, permissions from fw_org_roles where org_id = ? order by name_key')([
      orgId,
    ]),
    canManage ? listHolders(app, orgId) : [],
    app.db.prepareRead<{ id: string }>(
      `select h.role_id as id from ${HOLDERS} where h.user_id = ? and h.org_id = ? and ${IS_HOLDER}`,
    )([userId, orgId]),
    listHeld(app, { orgId, id: userId }),
  ])
  return {
    permissions: permissions.names.map(name => ({
      name,
      text: permissions.texts[name] ?? '',
      appRoles: (appRoles?.roles ?? []).filter(each => appRoles?.permissions[each]?.includes(name)),
    })),
    roles: roles.map(row => {
      const ofRole = holders.filter(({ roleId }) => roleId === row.id)
      return {
        ...toRole(app, row),
        holders: canManage ? ofRole.map(toHolder) : null,
        holderCount: canManage ? (ofRole[0]?.total ?? 0) : null,
        isMine: myRoles.some(({ id }) => id === row.id),
      }
    }),
    mine,
    canManage,
  }
}

function toRole(
  { config }: App,
  { id, name, permissions }: RoleRow,
): Pick<OrganizationRole, 'id' | 'name' | 'permissions' | 'undeclared'> {
  const stored: string[] = JSON.parse(permissions)
  const isDeclared = (each: string) => config.permissions.names.includes(each)
  return { id, name, permissions: stored.filter(isDeclared), undeclared: stored.filter(each => !isDeclared(each)) }
}

/** What the audit log compares before and after a change. Undefined for a role that does not exist. */
export async function roleForAudit(app: App, orgId: string, id: string) {
  const row = await requireRole(app, orgId, id).catch(() => undefined)
  return row && { name: row.name, permissions: (JSON.parse(row.permissions) as string[]).join(' ') }
}

/** Throws `unknown-permission` for one that the application does not declare, and `forbidden` for one that the actor lacks. */
async function checkPermissions(app: App, actor: Actor, wanted: readonly string[], held: readonly string[] = []) {
  const { names } = app.config.permissions
  const unknown = wanted.filter(name => !names.includes(name))
  if (unknown.length > 0) {
    const detail = `There is no permission ${unknown.join(', ')}. There are: ${names.join(', ') || 'none'}.`
    throw new AppError('unknown-permission', { detail })
  }
  await checkGrants(
    app,
    actor,
    wanted.filter(name => !held.includes(name)),
  )
}

interface RoleInput {
  name: string
  permissions: readonly string[]
}

/**
 * Makes a role. Throws `unknown-permission`, `forbidden` for a permission that the actor lacks, `role-name-taken`, and `role-limit`
 * beyond fifty roles.
 */
export async function createRole(app: App, actor: Actor, { name, permissions }: RoleInput): Promise<{ id: string }> {
  const { orgId, userId } = actor
  await checkPermissions(app, actor, permissions)
  const id = newId()
  const now = app.now().getTime()
  const list = JSON.stringify([...new Set(permissions)])
  const { rowsAffected } = await app.db.orm.run(sql`insert into fw_org_roles
      (id, org_id, name, name_key, permissions, created_by, created_at, updated_at)
    select ${id}, ${orgId}, ${name}, ${foldText(name)}, ${list}, ${userId}, ${now}, ${now}
    where ${mayGrant(app, actor, sql`${list}`)} and (select count(*) from fw_org_roles where org_id = ${orgId}) < ${MOST_ROLES}
    on conflict do nothing`)
  if (rowsAffected === 0) throw await refusalOf(app, actor, { name })
  app.log.info('a role was made', { role: id, orgId, by: userId })
  return { id }
}

/** Why a role was not written. */
async function refusalOf(app: App, { orgId }: Actor, { name, id = '' }: { name?: string; id?: string }) {
  const [row] = await app.db.prepareRead<{ isTaken: number; roles: number }>(
    `select exists (select 1 from fw_org_roles where org_id = ?1 and name_key = ?2 and id <> ?3) as isTaken,
      (select count(*) from fw_org_roles where org_id = ?1) as roles`,
  )([orgId, name === undefined ? null : foldText(name), id])
  if (row?.isTaken === 1) return new AppError('role-name-taken')
  return new AppError(id === '' && (row?.roles ?? 0) >= MOST_ROLES ? 'role-limit' : 'conflict')
}

/**
 * Tells who would lose which permissions by these changes, without making them. Throws like `changeRole`, except for names that are
 * taken.
 */
export async function planRole(app: App, actor: Actor, id: string, changes: Partial<RoleInput>): Promise<RolePlan> {
  const row = await requireRole(app, actor.orgId, id)
  const stored: string[] = JSON.parse(row.permissions)
  const { name = row.name, permissions = stored } = changes
  if (changes.permissions) await checkPermissions(app, actor, permissions, stored)
  const taken = stored.filter(each => !permissions.includes(each))
  return { ...(await lossesOf(app, actor, row, taken)), name }
}

/**
 * Changes the name or the permissions of a role; its holders have them at once. Returns who has lost what. Throws `not-found`,
 * `unknown-permission`, `role-name-taken`, and `forbidden` for an added permission that the actor lacks.
 */
export async function changeRole(app: App, actor: Actor, id: string, changes: Partial<RoleInput>): Promise<RolePlan> {
  const { orgId, userId } = actor
  const plan = await planRole(app, actor, id, changes)
  const list = changes.permissions && JSON.stringify([...new Set(changes.permissions)])
  const added = sql`(select json_group_array(added.value) from json_each(${list ?? '[]'}) added
    where added.value not in (select value from json_each(fw_org_roles.permissions)))`
  const { rowsAffected } = await app.db.orm.run(sql`update or ignore fw_org_roles set
      name = coalesce(${changes.name ?? null}, name),
      name_key = coalesce(${changes.name === undefined ? null : foldText(changes.name)}, name_key),
      permissions = coalesce(${list ?? null}, permissions), updated_at = ${app.now().getTime()}
    where id = ${id} and org_id = ${orgId} and ${mayGrant(app, actor, added)}`)
  if (rowsAffected === 0) throw await refusalOf(app, actor, { name: changes.name, id })
  app.log.info('a role was changed', { role: id, orgId, by: userId, ...changes })
  return plan
}

/** Tells who would lose which permissions if a role were deleted. Throws `not-found`. */
export async function planRoleDeletion(app: App, actor: Actor, id: string): Promise<RolePlan> {
  const row = await requireRole(app, actor.orgId, id)
  return lossesOf(app, actor, row, JSON.parse(row.permissions))
}

/** Deletes a role. Throws `not-found`, and `in-use` with its holders unless that is confirmed. */
export async function deleteRole(
  app: App,
  actor: Actor,
  { id, confirm }: { id: string; confirm: boolean },
): Promise<RolePlan> {
  const { orgId, userId } = actor
  const plan = await planRoleDeletion(app, actor, id)
  const isHeld = `exists (select 1 from ${HOLDERS} where h.org_id = ? and h.role_id = ? and ${IS_HOLDER})`
  const [deleted] = await app.db.client.batch(
    [
      {
        sql: `delete from fw_org_roles where id = ? and org_id = ? and (? or not ${isHeld}) and ${MANAGES_ROLES}`,
        args: [id, orgId, Number(confirm), orgId, id, orgId, userId],
      },
      {
        sql: 'delete from fw_org_role_members where org_id = ? and role_id = ? and not exists (select 1 from fw_org_roles where id = ?)',
        args: [orgId, id, id],
      },
    ],
    'write',
  )
  if (deleted?.rowsAffected !== 1) throw await inUse(app, actor, id)
  app.log.info('a role was deleted', { role: id, orgId, by: userId })
  return plan
}

async function inUse(app: App, actor: Actor, id: string): Promise<AppError> {
  const { roles } = await listRoles(app, actor)
  const role = roles.find(each => each.id === id)
  if (!role?.holderCount) return new AppError('conflict')
  return new AppError('in-use', {
    detail: `${role.holderCount === 1 ? 'One holder has' : `${role.holderCount} holders have`} this role. Delete it with confirm: true.`,
    extra: { holders: role.holders, holderCount: role.holderCount },
  })
}
