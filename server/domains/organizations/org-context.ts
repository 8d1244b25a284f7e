import type { App } from '#server/foundation/app-context'
import type { OrgRole } from '#shared/roles'
import { createDefaultOrganization } from './default-organization'
import { type OrgContextRow, orgContextColumns, orgContextJoin } from './org-context-sql'

/** The organization a person works in, or nulls. */
export interface OrgContext {
  orgId: string | null
  orgName: string | null
  orgRole: OrgRole | null
}

interface Person {
  userId: string
  email: string
  name: string
}

const FIND = `select ${orgContextColumns} from users u ${orgContextJoin} where u.id = ?`

/** Resolves the active organization of a person in one statement; the first time, the default organization is made (SPEC: States). */
export async function findOrgContext(app: App, person: Person): Promise<OrgContext> {
  const find = app.once('find-org-context', () => app.db.prepareRead<OrgContextRow>(FIND))
  const [row] = await find([person.userId])
  return row ? completeOrgContext(app, person, row) : { orgId: null, orgName: null, orgRole: null }
}

/** The context of a row that was read with `orgContextJoin`; a person without any membership may get the default organization here. */
export async function completeOrgContext(app: App, person: Person, row: OrgContextRow): Promise<OrgContext> {
  const isUndecided = row.orgId === null && row.chosenOrgId !== ''
  if (isUndecided && (await createDefaultOrganization(app, person))) return findOrgContext(app, person)
  return { orgId: row.orgId, orgName: row.orgName, orgRole: row.orgRole }
}
