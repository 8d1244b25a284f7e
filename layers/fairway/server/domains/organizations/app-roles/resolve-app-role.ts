import { requireRun, sessionOfRun } from '#fairway/server/kernel/current-run'

/** Whose role is meant: `undefined` takes the person and the organization of the current request or action, `null` means there is none. */
export interface AppRoleIdentity {
  userEmail?: string | null
  orgId?: string | null
}

export type AppRoleResolution =
  | { status: 'assigned'; role: string }
  | { status: 'unassigned' | 'not-a-member' | 'no-identity' | 'no-org' }

interface Vocabulary {
  appId: string
  roles: readonly string[]
}

// One statement starts from the membership: an assignment that a removed member left behind is never seen.
const FIND = `
  select r.role as role from users u
  join org_members m on m.user_id = u.id and m.org_id = ?
  left join app_member_roles r on r.org_id = m.org_id and r.user_id = m.user_id and r.app_id = ?
  where u.email = ?`

/** Finds an explicit assignment; a stored role that is no longer declared counts as none. A database error is an error, never a denial. */
export async function resolveAppRole(
  { appId, roles }: Vocabulary,
  identity: AppRoleIdentity = {},
): Promise<AppRoleResolution> {
  const { app } = requireRun()
  if (identity.userEmail === null) return { status: 'no-identity' }
  if (identity.orgId === null) return { status: 'no-org' }
  const { userEmail, orgId } = await completed(identity)
  if (!userEmail) return { status: 'no-identity' }
  if (!orgId) return { status: 'no-org' }
  const find = app.memo('find-app-role', () => app.db.prepareRead<{ role: string | null }>(FIND))
  const [row] = await find([orgId, appId, userEmail.trim().toLowerCase()])
  if (!row) return { status: 'not-a-member' }
  return toResolution(row.role, roles)
}

// Nobody is looked up who is not asked for: a page that every visitor shares may ask about somebody it names.
async function completed({ userEmail, orgId }: AppRoleIdentity): Promise<AppRoleIdentity> {
  if (userEmail !== undefined && orgId !== undefined) return { userEmail, orgId }
  const session = await sessionOfRun(requireRun())
  return { userEmail: userEmail ?? session?.email, orgId: orgId ?? session?.orgId }
}

const toResolution = (role: string | null, declared: readonly string[]): AppRoleResolution =>
  role !== null && declared.includes(role) ? { status: 'assigned', role } : { status: 'unassigned' }
