import type { App } from '#fairway/server/kernel/app-context'
import type { Session } from '#fairway/shared/schemas/session'
import { toClosedOrg } from './auth-provider-rule'
import { createDefaultOrganization } from './default-organization'
import { type OrgContextRow, orgContextColumns, orgContextJoin } from './org-context-sql'

/** The organization a person works in, or nulls; `closedOrg` instead where its sign-in rule does not open it to them. */
export type OrgContext = Pick<Session, 'orgId' | 'orgName' | 'orgRole' | 'closedOrg'>

interface Person {
  userId: string
  email: string
  name: string
  /** How they proved who they are: the provider of the session, or the surface where there is none. */
  provider: string
}

const FIND = `select ${orgContextColumns} from users u ${orgContextJoin} where u.id = ?`

/** Resolves the active organization of a person in one statement; the first time, the default organization is made (SPEC: States). */
export async function findOrgContext(app: App, person: Person): Promise<OrgContext> {
  const row = await findRow(app, person.userId)
  return row ? completeOrgContext(app, person, row) : NOWHERE
}

/** The context of a row that was read with `orgContextJoin`; a person without any membership may get the default organization here. */
export async function completeOrgContext(app: App, person: Person, row: OrgContextRow): Promise<OrgContext> {
  const isUndecided = row.orgId === null && row.chosenOrgId !== ''
  if (isUndecided && (await createDefaultOrganization(app, person))) return findOrgContext(app, person)
  return openOrgContext(app, row, person.provider)
}

/**
 * The one place that asks for an organization's sign-in rule: it opens to what was proved by its provider. Everybody else
 * gets none of its members, so that nothing can be read or written in it by forgetting to ask.
 */
export function openOrgContext(
  app: App,
  { orgId, orgName, orgRole, requiredProvider }: Omit<OrgContextRow, 'chosenOrgId'>,
  provider: string,
): OrgContext {
  if (orgId === null || requiredProvider === null || requiredProvider === provider) return { orgId, orgName, orgRole }
  return { ...NOWHERE, closedOrg: toClosedOrg(app, { id: orgId, name: orgName ?? '' }, requiredProvider) }
}

/** Which organization a person works in, whether it opens to them or not. */
export async function findActiveOrg(app: App, userId: string): Promise<{ id: string; name: string } | null> {
  const row = await findRow(app, userId)
  return row?.orgId ? { id: row.orgId, name: row.orgName ?? '' } : null
}

const NOWHERE = { orgId: null, orgName: null, orgRole: null } as const

async function findRow(app: App, userId: string): Promise<OrgContextRow | undefined> {
  const find = app.memo('find-org-context', () => app.db.prepareRead<OrgContextRow>(FIND))
  const [row] = await find([userId])
  return row
}
