// The session of a service account: its owner of record with the account's own role, and without what only a person may.
import { serviceCredential, type ServiceCredentialRow } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { lowerRole } from '#fairway/shared/roles'
import { type Acting, type ActorRow, memberActor, openSession } from './act-as'

/** A service account, its credential, and its owner of record in its organization. */
export interface ServiceActorRow extends ServiceCredentialRow, ActorRow {}

/** The statement that finds the row of a credential. */
export const serviceActorSql = (by: keyof typeof serviceCredential): string => {
  const { columns, from, where } = serviceCredential[by]
  return `select ${columns}, ${memberActor.columns} from ${from} ${memberActor.joins('a.owner_id', 'a.org_id')} where ${where}`
}

const PROVIDER = 'service-account'

/**
 * The session of a service account. Rules about sign-ins do not concern it; the networks of the session policy do where that covers
 * apps. Returns the reason while its owner of record cannot act or is no member.
 */
export async function openServiceAccount(app: App, row: ServiceActorRow): Promise<Acting> {
  const now = app.now().getTime()
  const times = { signedInAt: now, usedAt: now, longestPause: 0, isApp: true }
  const { accountOrgId: orgId, createdAt, expiresAt } = row
  const proof = { provider: PROVIDER, isMachine: true, orgId, createdAt, times }
  const opened = await openSession(app, row, { ...proof, ...(expiresAt === null ? {} : { expiresAt }) })
  if ('refusal' in opened) return opened
  const { isOperator: _installation, termsDue: _terms, mayClaim: _claim, id, ...session } = opened.session
  const account = { id: row.accountId, name: row.accountName, isOwners: row.isOwners === 1 }
  const orgRole = session.orgRole && lowerRole(session.orgRole, row.accountRole)
  const acting = { ...session, orgRole, serviceAccount: account, id }
  return { session: Object.defineProperty(acting, 'id', { enumerable: false }) }
}

/** The session of the service account with this ID, for a job that it queued; undefined for another ID. */
export async function actAsServiceAccount(app: App, id: string): Promise<Acting | undefined> {
  const find = app.memo('find-service-account', () => app.db.prepareRead<ServiceActorRow>(serviceActorSql('byId')))
  const [row] = await find([id])
  return row && openServiceAccount(app, row)
}
