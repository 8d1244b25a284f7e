import { ACTIVE_ORG_SETTING } from '#fairway/server/domains/people'
import {
  checkOrgOpens,
  completeOrgContext,
  openOrgContext,
  type OrgContext,
  type OrgContextRow,
  orgContextColumns,
  orgContextJoin,
} from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { DEV_EMAIL, LEGACY_LOCAL_EMAIL } from '#fairway/server/kernel/config/config'
import type { Session } from '#fairway/shared/schemas/session'

interface PersonRow extends OrgContextRow {
  userId: string
  email: string
  emailVerified: number
  name: string
  image: string | null
  kind: string
}

const PROVIDER = 'a2a'

const SELECT = `
  select u.id as userId, u.email as email, u.email_verified as emailVerified, u.name as name, u.image as image, u.kind as kind,
    ${orgContextColumns}
  from users u`

const FIND_BY_EMAIL = `${SELECT} ${orgContextJoin} where u.email = ?`

const FIND_IN_ORG = `${SELECT}
  left join user_settings a on a.user_id = u.id and a.key = '${ACTIVE_ORG_SETTING}'
  left join org_members m on m.user_id = u.id and m.org_id = ?
  left join organizations o on o.id = m.org_id where u.id = ?`

/**
 * The person with this confirmed address, in the organization they work in here; null when there is none.
 * Throws `provider-required` when that organization asks for a provider: a call of another application is no sign-in.
 */
export async function findPersonByEmail(app: App, email: string): Promise<Session | null> {
  const find = app.memo('a2a-person', () => app.db.prepareRead<PersonRow>(FIND_BY_EMAIL))
  const [row] = await find([email])
  if (!row || !mayAct(app, row)) return null
  return toSession(app, row, await completeOrgContext(app, { ...row, provider: PROVIDER }, row))
}

/** The same person in the organization that a question was asked in; null when they have left it. Throws `provider-required` as well. */
export async function findPersonInOrg(app: App, userId: string, orgId: string | null): Promise<Session | null> {
  const find = app.memo('a2a-person-in-org', () => app.db.prepareRead<PersonRow>(FIND_IN_ORG))
  const [row] = await find([orgId ?? '', userId])
  if (!row || !mayAct(app, row) || row.orgId !== orgId) return null
  return toSession(app, row, openOrgContext(app, row, PROVIDER))
}

// Local identities open nothing in production.
function mayAct({ config }: App, { emailVerified, email, kind }: PersonRow): boolean {
  if (emailVerified !== 1 || email === LEGACY_LOCAL_EMAIL) return false
  const isLocal = kind === 'dev' || email === DEV_EMAIL
  return !isLocal || config.environment !== 'production' || config.authDisabled !== undefined
}

function toSession(app: App, row: PersonRow, org: OrgContext): Session {
  checkOrgOpens(org)
  const now = app.now().toISOString()
  return {
    userId: row.userId,
    email: row.email,
    emailVerified: true,
    name: row.name,
    image: row.image,
    ...org,
    provider: PROVIDER,
    createdAt: now,
    expiresAt: now,
  }
}
