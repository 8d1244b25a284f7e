import type { App } from '#fairway/server/kernel/app-context'
import { AppError } from '#fairway/server/kernel/http/app-error'
import { mayInOrg } from '#fairway/shared/roles'
import type { AppRolesAnswer } from '#fairway/shared/schemas/organization'
import type { Session } from '#fairway/shared/schemas/session'
import { requireMember } from '../members'
import { requireOrg } from '../require-org'

interface AssignmentRow {
  userId: string
  email: string
  name: string
  role: string
}

const LIST = `
  select u.id as userId, u.email as email, u.name as name, r.role as role from app_member_roles r
  join org_members m on m.org_id = r.org_id and m.user_id = r.user_id
  join users u on u.id = r.user_id
  where r.org_id = ? and r.app_id = ? order by u.email`

/** The declared roles and who has which in the organization the person works in; throws `unknown-app`. */
export async function listAppRoles(app: App, session: Session, appId?: string): Promise<AppRolesAnswer> {
  const actor = requireOrg(session, 'read-app-roles')
  const declared = requireDeclared(app, appId)
  const rows = await app.db.prepareRead<AssignmentRow>(LIST)([actor.orgId, declared.appId])
  const known = rows.filter(row => declared.roles.includes(row.role))
  return {
    appId: declared.appId,
    roles: [...declared.roles],
    defaultRole: declared.defaultRole,
    assignments: known.map(({ email, name, role }) => ({ email, name, role })),
    mine: known.find(row => row.userId === actor.userId)?.role ?? null,
    canAssign: mayInOrg(actor.role, 'assign-app-role'),
  }
}

export interface AssignmentInput {
  appId?: string
  email: string
  /** null takes the assignment away. */
  role: string | null
}

/** Assigns a declared role to a member, or takes it away; throws `unknown-app`, `unknown-role`, `forbidden` and `not-found`. */
export async function assignAppRole(app: App, session: Session, input: AssignmentInput): Promise<void> {
  const actor = requireOrg(session, 'assign-app-role')
  const { appId, roles } = requireDeclared(app, input.appId)
  if (input.role !== null && !roles.includes(input.role)) {
    throw new AppError('unknown-role', { detail: `The roles are: ${roles.join(', ')}.` })
  }
  const member = await requireMember(app, actor.orgId, input.email)
  const mayAssign = `exists (select 1 from org_members where org_id = ? and user_id = ? and role in ('owner', 'admin'))`
  const { rowsAffected } = await app.db.client.execute(
    input.role === null
      ? {
          sql: `delete from app_member_roles where org_id = ? and app_id = ? and user_id = ? and ${mayAssign}`,
          args: [actor.orgId, appId, member.userId, actor.orgId, actor.userId],
        }
      : {
          sql: `insert into app_member_roles (org_id, app_id, user_id, role, assigned_by, assigned_at)
            select m.org_id, ?, m.user_id, ?, ?, ? from org_members m where m.org_id = ? and m.user_id = ? and ${mayAssign}
            on conflict (org_id, app_id, user_id) do update
            set role = excluded.role, assigned_by = excluded.assigned_by, assigned_at = excluded.assigned_at`,
          args: [
            appId,
            input.role,
            actor.userId,
            app.now().getTime(),
            actor.orgId,
            member.userId,
            actor.orgId,
            actor.userId,
          ],
        },
  )
  if (rowsAffected === 0 && input.role !== null) throw new AppError('conflict')
  app.log.info('app role assigned', {
    orgId: actor.orgId,
    appId,
    userId: member.userId,
    role: input.role,
    by: actor.userId,
  })
}

function requireDeclared(app: App, appId: string | undefined) {
  const declared = app.config.appRoles
  if (!declared || (appId !== undefined && appId !== declared.appId)) throw new AppError('unknown-app')
  return declared
}
