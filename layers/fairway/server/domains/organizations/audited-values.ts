// The values whose changes the audit log keeps, as an organization and its members have them now.
import { personJoin } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'

interface Settings {
  name: string
  slug: string | null
  allowedDomain: string | null
  agentsReadOnly: number
  provider: string | null
  domain: string | null
  guests: number
  isRequired: number
  graceDays: number | null
}

/** The settings of an organization; undefined without one. */
export async function settingsForAudit(
  app: App,
  orgId: string | null,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const [row] = await app.db.prepareRead<Settings>(
    `select name, slug, allowed_domain as allowedDomain, agents_read_only as agentsReadOnly,
      required_auth_provider as provider, required_auth_domain as domain, required_auth_guests as guests,
      second_factor_since is not null as isRequired, second_factor_grace_days as graceDays from organizations where id = ?`,
  )([orgId])
  return (
    row && {
      ...row,
      agentsReadOnly: row.agentsReadOnly === 1,
      isRequired: row.isRequired === 1,
      guests: row.guests === 1,
    }
  )
}

/** The role of a member; undefined for other people. */
export async function roleForAudit(app: App, orgId: string, email: string): Promise<{ role: string } | undefined> {
  const [row] = await app.db.prepareRead<{ role: string }>(
    `select m.role as role from org_members m ${personJoin('m.user_id')} where m.org_id = ? and u.email = ?`,
  )([orgId, email])
  return row
}
