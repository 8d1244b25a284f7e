import { findRun, type Run } from '#server/foundation/current-run'

/** Whose role is meant: `undefined` takes the person and the organization of the current run, `null` means there is none. */
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
  { userEmail, orgId }: AppRoleIdentity = {},
): Promise<AppRoleResolution> {
  const run = findRun()
  const ambient = run?.session
  const email = userEmail === undefined ? ambient?.email : userEmail
  const org = orgId === undefined ? ambient?.orgId : orgId
  if (!email) return { status: 'no-identity' }
  if (!org) return { status: 'no-org' }
  const [row] = await findIn(run)([org, appId, email.trim().toLowerCase()])
  if (!row) return { status: 'not-a-member' }
  return toResolution(row.role, roles)
}

const toResolution = (role: string | null, declared: readonly string[]): AppRoleResolution =>
  role !== null && declared.includes(role) ? { status: 'assigned', role } : { status: 'unassigned' }

function findIn(run: Run | undefined) {
  if (!run) throw new Error('app roles are resolved inside an action')
  const { app } = run
  return app.once('find-app-role', () => app.db.prepareRead<{ role: string | null }>(FIND))
}
