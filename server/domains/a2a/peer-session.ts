import {
  completeOrgContext,
  type OrgContextRow,
  orgContextColumns,
  orgContextJoin,
  providerRequired,
} from '#server/domains/organizations'
import type { App } from '#server/foundation/app-context'
import { DEV_EMAIL, LEGACY_LOCAL_EMAIL } from '#server/foundation/config/config'
import type { Session } from '#shared/schemas/session'

interface PersonRow extends OrgContextRow {
  userId: string
  email: string
  emailVerified: number
  name: string
  image: string | null
  kind: string
  /** Whether the person has a sign-in of the kind that the organization asks for. */
  meetsRule: number
}

const SELECT = `
  select u.id as userId, u.email as email, u.email_verified as emailVerified, u.name as name, u.image as image, u.kind as kind,
    ${orgContextColumns},
    (o.required_auth_provider is null or exists (
      select 1 from accounts p where p.user_id = u.id and p.provider_id = o.required_auth_provider)) as meetsRule
  from users u`

const FIND_BY_EMAIL = `${SELECT} ${orgContextJoin} where u.email = ?`

const FIND_IN_ORG = `${SELECT}
  left join user_settings a on a.user_id = u.id and a.key = 'active-org-id'
  left join org_members m on m.user_id = u.id and m.org_id = ?
  left join organizations o on o.id = m.org_id where u.id = ?`

/**
 * The person with this confirmed address, in the organization they work in here; null when there is none.
 * Throws `provider-required` when that organization asks for a sign-in that the person does not have.
 */
export async function findPersonByEmail(app: App, email: string): Promise<Session | null> {
  const find = app.once('a2a-person', () => app.db.prepareRead<PersonRow>(FIND_BY_EMAIL))
  const [row] = await find([email])
  if (!row || !mayAct(app, row)) return null
  checkRule(app, row)
  return toSession(app, row, await completeOrgContext(app, row, row))
}

/** The same person in the organization that a question was asked in; null when they have left it. */
export async function findPersonInOrg(app: App, userId: string, orgId: string | null): Promise<Session | null> {
  const find = app.once('a2a-person-in-org', () => app.db.prepareRead<PersonRow>(FIND_IN_ORG))
  const [row] = await find([orgId ?? '', userId])
  if (!row || !mayAct(app, row) || row.orgId !== orgId) return null
  checkRule(app, row)
  return toSession(app, row, row)
}

// Local identities open nothing in production.
function mayAct({ config }: App, { emailVerified, email, kind }: PersonRow): boolean {
  if (emailVerified !== 1 || email === LEGACY_LOCAL_EMAIL) return false
  const isLocal = kind === 'dev' || email === DEV_EMAIL
  return !isLocal || config.environment !== 'production' || config.authDisabled !== undefined
}

// A call is no sign-in: the person must have signed in that way once, as for connected apps. Elsewhere there are no accounts.
function checkRule({ config }: App, { requiredProvider, meetsRule }: PersonRow): void {
  if (requiredProvider !== null && meetsRule !== 1 && !config.customSignIn) throw providerRequired(requiredProvider)
}

function toSession(app: App, row: PersonRow, org: Pick<Session, 'orgId' | 'orgName' | 'orgRole'>): Session {
  const now = app.now().toISOString()
  return {
    userId: row.userId,
    email: row.email,
    emailVerified: true,
    name: row.name,
    image: row.image,
    orgId: org.orgId,
    orgName: org.orgName,
    orgRole: org.orgRole,
    provider: 'a2a',
    createdAt: now,
    expiresAt: now,
  }
}
