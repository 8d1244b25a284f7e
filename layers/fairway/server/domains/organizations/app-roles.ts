import { PEOPLE, personJoin } from '#fairway/server/domains/people'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { InStatement } from '#fairway/server/kernel/database/client'
import { requireRun, sessionOfRun } from '#fairway/server/kernel/current-run'
import type { App } from '#fairway/server/kernel/app-context'
import { checkPermission } from '#fairway/server/kernel/permissions'
import { mayInOrg } from '#fairway/shared/roles'
import type { AppRolesAnswer } from '#fairway/shared/schemas/organization'
import type { GuardContext, InOrganization, Proving } from './guards'
import { requireMember } from './members'
import { type Actor, managesSql } from './org-context'
import { carriedBy, checkGrants } from './permissions'
import { accountOfRun, SERVICE_ACCOUNTS } from './service-accounts/principal'

interface AppRolesInput<Role extends string> {
  appId: string
  /** A set; the order has no meaning. */
  roles: readonly Role[]
  /** Shown for members without an assignment; it grants nothing. */
  defaultRole?: Role
  /** The permissions that a role carries, by their names in `definePermissions`. */
  permissions?: { readonly [role in NoInfer<Role>]?: readonly string[] }
}

interface AppRoles<Role extends string = string> {
  readonly appId: string
  readonly roles: readonly Role[]
  readonly defaultRole: Role | null
  readonly permissions: Readonly<Record<string, readonly string[]>>
  /**
   * Returns a guard that requires an explicit assignment to one of these roles. Throws at load for an empty list or an undeclared
   * role.
   */
  requireAny(...accepted: Role[]): AppRoleGuard
  /** Returns the caller's role in this application, or why there is none. See `AppRoleIdentity` for the person that is meant. */
  resolve(identity?: AppRoleIdentity): Promise<AppRoleResolution>
}

const APP_ID = /^[a-z][a-z0-9-]{0,63}$/

/** Declares the roles of this application (SPEC: Application role definition). Throws at load when the declaration is invalid. */
export function defineAppRoles<const Role extends string>(input: AppRolesInput<Role>): AppRoles<Role> {
  const { appId, defaultRole = null } = input
  const roles = Object.freeze([...new Set(input.roles)])
  if (!APP_ID.test(appId))
    throw new Error(`app roles: the appId "${appId}" must have lower-case letters, digits and hyphens`)
  if (roles.length === 0) throw new Error(`app roles of ${appId}: declare at least one role`)
  if (roles.some(role => role.trim() === '')) throw new Error(`app roles of ${appId}: a role needs a name`)
  if (defaultRole !== null && !roles.includes(defaultRole)) throw undeclared(appId, defaultRole, roles)
  const permissions: Readonly<Record<string, readonly string[]>> = Object.freeze({ ...input.permissions })
  for (const [role, names] of Object.entries(permissions)) {
    if (!roles.includes(role as Role)) throw undeclared(appId, role, roles)
    for (const name of names) checkPermission(`app roles of ${appId}`, name)
  }
  const resolve = (identity?: AppRoleIdentity) => resolveAppRole({ appId, roles }, identity)
  return Object.freeze({
    appId,
    roles,
    defaultRole,
    permissions,
    resolve,
    requireAny(...accepted: Role[]): AppRoleGuard {
      if (accepted.length === 0) throw new Error(`app roles of ${appId}: requireAny needs at least one role`)
      for (const role of accepted) if (!roles.includes(role)) throw undeclared(appId, role, roles)
      const guard = async ({ session, orgId }: GuardContext) =>
        requireAssigned(await resolve({ userEmail: session?.email ?? null, orgId }), accepted)
      return Object.assign(guard, { roles: Object.freeze([...accepted]) })
    },
  })
}

const undeclared = (appId: string, role: string, roles: readonly string[]): Error =>
  new Error(`app roles of ${appId}: "${role}" is not declared; there are: ${roles.join(', ')}`)

type AppRoleGuard = ((context: GuardContext) => Promise<true>) &
  // Only members have assignments, so there is an organization.
  Proving<InOrganization> & {
    /** The accepted roles, for catalogues. */
    readonly roles: readonly string[]
  }

const REASONS: Record<Exclude<AppRoleResolution['status'], 'assigned'>, string> = {
  unassigned: 'You have no role in this application.',
  'not-a-member': 'You are not a member of the organization.',
  'no-identity': 'This runs for nobody.',
  'no-org': 'This runs outside an organization.',
}

/** Returns true for an explicit assignment to an accepted role. Otherwise throws `forbidden` with the missing role. */
function requireAssigned(resolution: AppRoleResolution, accepted: readonly string[]): true {
  if (resolution.status === 'assigned' && accepted.includes(resolution.role)) return true
  const wanted = accepted.join(' or ')
  const detail =
    resolution.status === 'assigned'
      ? `Your role here is ${resolution.role}. This requires the ${wanted} role.`
      : `${REASONS[resolution.status]} This requires the ${wanted} role. An owner or admin of the organization can assign it.`
  throw new AppError('forbidden', { detail })
}

/**
 * The person whose role is meant: `undefined` takes the person and organization of the current request or action, `null` means
 * none.
 */
interface AppRoleIdentity {
  userEmail?: string | null
  orgId?: string | null
}

type AppRoleResolution =
  | { status: 'assigned'; role: string }
  | { status: 'unassigned' | 'not-a-member' | 'no-identity' | 'no-org' }

interface Vocabulary {
  appId: string
  roles: readonly string[]
}

// The statement starts from the membership, so a leftover assignment of a removed member is never found.
const FIND = `
  select r.role as role from ${PEOPLE}
  join org_members m on m.user_id = u.id and m.org_id = ?
  left join app_member_roles r on r.org_id = m.org_id and r.user_id = m.user_id and r.app_id = ?
  where u.email = ?`

const FIND_OF_ACCOUNT = `select (select assigned.value from json_each(a.app_roles) assigned where assigned.key = params.app_id) as role
  from (select ? as org_id, ? as app_id, ? as id) params join ${SERVICE_ACCOUNTS} where a.id = params.id and a.org_id = params.org_id`

/**
 * Finds an explicit assignment. A service account has its own, never that of its owner of record. A stored role that is no longer declared counts as none. A database error is thrown and never
 * becomes a denial.
 */
async function resolveAppRole(
  { appId, roles }: Vocabulary,
  identity: AppRoleIdentity = {},
): Promise<AppRoleResolution> {
  const { app } = requireRun()
  if (identity.userEmail === null) return { status: 'no-identity' }
  if (identity.orgId === null) return { status: 'no-org' }
  const { userEmail, orgId } = await completed(identity)
  if (!userEmail) return { status: 'no-identity' }
  if (!orgId) return { status: 'no-org' }
  const email = userEmail.trim().toLowerCase()
  const account = accountOfRun(email)
  const sql = account === undefined ? FIND : FIND_OF_ACCOUNT
  const find = app.memo(`find-app-role-${account === undefined}`, () =>
    app.db.prepareRead<{ role: string | null }>(sql),
  )
  const [row] = await find([orgId, appId, account ?? email])
  if (!row) return { status: 'not-a-member' }
  return toResolution(row.role, roles)
}

// The session is not read when a person is named, because a page shared by all visitors may ask about one.
async function completed({ userEmail, orgId }: AppRoleIdentity): Promise<AppRoleIdentity> {
  if (userEmail !== undefined && orgId !== undefined) return { userEmail, orgId }
  const session = await sessionOfRun(requireRun())
  return { userEmail: userEmail ?? session?.email, orgId: orgId ?? session?.orgId }
}

const toResolution = (role: string | null, declared: readonly string[]): AppRoleResolution =>
  role !== null && declared.includes(role) ? { status: 'assigned', role } : { status: 'unassigned' }

interface AssignmentRow {
  userId: string
  email: string
  name: string
  image: string | null
  role: string
}

const LIST = `
  select u.id as userId, u.email as email, u.name as name, u.image as image, r.role as role from app_member_roles r
  join org_members m on m.org_id = r.org_id and m.user_id = r.user_id
  ${personJoin('r.user_id')}
  where r.org_id = ? and r.app_id = ? order by u.email`

/** Lists the declared roles and their members in the organization that the person works in; throws `unknown-app`. */
export async function listAppRoles(app: App, actor: Actor, appId?: string): Promise<AppRolesAnswer> {
  const declared = requireDeclared(app, appId)
  const rows = await app.db.prepareRead<AssignmentRow>(LIST)([actor.orgId, declared.appId])
  const known = rows.filter(row => declared.roles.includes(row.role))
  return {
    appId: declared.appId,
    roles: [...declared.roles],
    defaultRole: declared.defaultRole,
    assignments: known,
    mine: known.find(row => row.userId === actor.userId)?.role ?? null,
    canAssign: mayInOrg(actor.role, 'assign-app-role'),
  }
}

interface AssignmentInput {
  appId?: string
  email: string
  /** null removes the assignment. */
  role: string | null
}

/**
 * Assigns a declared role to a member, or removes it; throws `unknown-app`, `unknown-role`, `forbidden`, `conflict` and
 * `not-found`. Nobody assigns a role that carries a permission which they lack.
 */
export async function assignAppRole(app: App, actor: Actor, input: AssignmentInput): Promise<void> {
  const { appId } = requireDeclared(app, input.appId)
  if (input.role !== null) {
    checkAppRole(app, input.role, appId)
    await checkGrants(app, actor, carriedBy(app, input.role))
  }
  const member = await requireMember(app, actor.orgId, input.email)
  const mayAssign = managesSql('assign-app-role')
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

/** Throws `unknown-app` and `unknown-role` unless this role of the application is declared. */
export function checkAppRole(app: App, role: string, appId?: string): void {
  const { roles } = requireDeclared(app, appId)
  if (!roles.includes(role)) throw new AppError('unknown-role', { detail: `The roles are: ${roles.join(', ')}.` })
}

/** Who has assigned the roles that a directory gives. */
export const GIVEN_BY_DIRECTORY = 'directory'

/** The statements that give and take (null) roles in the application by a directory. They leave those that people gave. */
export function appRoleStatements(
  app: App,
  orgId: string,
  changes: readonly { userId: string; appId: string | null; after: string | null }[],
): InStatement[] {
  const wanted = JSON.stringify(changes)
  return [
    {
      sql: `delete from app_member_roles where org_id = ? and assigned_by = '${GIVEN_BY_DIRECTORY}' and (app_id, user_id) in (
        select value ->> 'appId', value ->> 'userId' from json_each(?) where value ->> 'after' is null)`,
      args: [orgId, wanted],
    },
    {
      sql: `insert into app_member_roles (org_id, app_id, user_id, role, assigned_by, assigned_at)
        select ?, value ->> 'appId', value ->> 'userId', value ->> 'after', '${GIVEN_BY_DIRECTORY}', ?
        from json_each(?) where value ->> 'after' is not null
        on conflict (org_id, app_id, user_id) do update set role = excluded.role, assigned_at = excluded.assigned_at
        where app_member_roles.assigned_by = '${GIVEN_BY_DIRECTORY}'`,
      args: [orgId, app.now().getTime(), wanted],
    },
  ]
}

function requireDeclared(app: App, appId: string | undefined) {
  const declared = app.config.appRoles
  if (!declared || (appId !== undefined && appId !== declared.appId)) throw new AppError('unknown-app')
  return declared
}
