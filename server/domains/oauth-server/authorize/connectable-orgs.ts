import type { App } from '#server/foundation/app-context'
import type { Session } from '#shared/schemas/session'
import { grantJoins, mayConnect } from '../live-grant-sql'

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
  mayConnect: number
}

/** The organizations of a person, the active one first; those that ask for another way to sign in say which. */
export async function listConnectableOrgs(app: App, session: Session): Promise<ConnectableOrg[]> {
  const find = app.once('connectable-orgs', () =>
    app.db.prepareRead<OrgRow>(
      `select o.id as id, o.name as name, o.required_auth_provider as required, (${mayConnect(app.config)}) as mayConnect
        from (select m.org_id as org_id, m.user_id as user_id from org_members m where m.user_id = ?) g ${grantJoins}
        order by o.id <> ?, m.joined_at, o.id`,
    ),
  )
  const rows = await find([session.userId, session.orgId ?? ''])
  return rows
    .filter(({ required, mayConnect: may }) => required !== null || may === 1)
    .map(({ id, name, required, mayConnect: may }) => {
      const isShutOut = required !== null && (required !== session.provider || may !== 1)
      return { id, name, otherProvider: isShutOut ? required : null }
    })
}
