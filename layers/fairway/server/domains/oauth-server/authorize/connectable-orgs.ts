import { orgOpensTo, orgsOf } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import type { Session } from '#fairway/shared/schemas/session'
import { grantJoins, mayAct } from '../live-grant-sql'

export interface ConnectableOrg {
  id: string
  name: string
  /** How people of it must sign in when this session was proved in another way. */
  otherProvider: string | null
}

interface OrgRow {
  id: string
  name: string
  required: string | null
  isOpen: number
}

/** The organizations of a person, the active one first; those that do not open to this session say to which provider they do. */
export async function listConnectableOrgs(app: App, session: Session): Promise<ConnectableOrg[]> {
  const find = app.memo('connectable-orgs', () =>
    app.db.prepareRead<OrgRow>(
      `select o.id as id, o.name as name, o.required_auth_provider as required, ${orgOpensTo('g.provider')} as isOpen
        from (select x.org_id as org_id, ? as user_id, ? as provider from (${orgsOf('= ?')}) x) g ${grantJoins}
        where ${mayAct(app.config)} order by o.id <> ?, m.joined_at, o.id`,
    ),
  )
  const rows = await find([
    session.userId,
    session.provider,
    session.userId,
    session.orgId ?? session.closedOrg?.id ?? '',
  ])
  return rows.map(({ id, name, required, isOpen }) => ({ id, name, otherProvider: isOpen === 1 ? null : required }))
}
