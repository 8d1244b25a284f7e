import {
  deleteSessionsStatement,
  liveSessionCount,
  outdateSignIns,
  personJoin,
  shownPersonSql,
  toShownPerson,
  usesProvider,
} from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { endGrantsStatements } from '#fairway/server/kernel/dependent-rows'
import { connectionProvider, isConnectionProvider } from '#fairway/shared/connection-provider'
import { mayInOrg } from '#fairway/shared/roles'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { AuthProviderResult } from '#fairway/shared/schemas/organization'
import { isFreeMailDomain } from './domain-names'
import { listIdentityConnections } from './connections'
import type { Actor } from './org-context'
import { isOutside, requirableProviders } from './sign-in-rule'

export interface AuthProviderInput {
  /** The ID of the one provider that members must sign in with; null requires none. */
  provider: string | null
  /** The normalized domain or tenant that the account there must belong to; null for any account. */
  domain?: string | null
  /** Leaves out members whose addresses are outside the proved domains; only for a connection. */
  guests?: boolean
  /** Sets the rule even if it locks the caller out. */
  confirm?: boolean
}

/** Returns the organization's rule and the providers that can be chosen. */
export async function getAuthProvider(app: App, { orgId }: Actor) {
  const [row] = await app.db.prepareRead<{ provider: string | null; domain: string | null; guests: number }>(
    `select required_auth_provider as provider, required_auth_domain as domain, required_auth_guests as guests
     from organizations where id = ?`,
  )([orgId])
  return {
    provider: row?.provider ?? null,
    domain: row?.domain ?? null,
    ...guestsOf(row?.provider ?? null, row?.guests === 1),
    providers: await providersOf(app, orgId),
  }
}

/** Only a rule that requires a connection can leave out guests. */
const guestsOf = (provider: string | null, guests: boolean): { guests?: boolean } =>
  provider !== null && isConnectionProvider(provider) ? { guests } : {}

/** The providers that an organization can require: those of the installation, and its own active connections. */
async function providersOf(app: App, orgId: string): Promise<{ id: string; name: string }[]> {
  const connections = await listIdentityConnections(app, orgId)
  return [
    ...requirableProviders(app).map(({ id, name }) => ({ id, name })),
    ...connections
      .filter(({ state }) => state === 'active')
      .map(({ id, name }) => ({ id: connectionProvider(id), name })),
  ]
}

/** Previews a rule without changing anything: the members who would be signed out, and those who have never used the provider. */
export async function planAuthProvider(app: App, actor: Actor, input: AuthProviderInput): Promise<AuthProviderResult> {
  await checkRequirable(app, actor, input)
  const { provider, domain = null, guests = false } = input
  if (provider === null) return { provider, domain, revokedSessions: 0, revokedGrants: 0, affected: [] }
  const rows = await app.db.prepareRead<{ person: string; sessions: number; hasProvider: number }>(
    `select ${shownPersonSql()} as person,
      ${liveSessionCount('u.id')} as sessions, ${usesProvider('u.id')} as hasProvider
     from org_members m ${personJoin('m.user_id')} join organizations o on o.id = m.org_id
     where m.org_id = ? and not (? and ${isOutside('u')}) order by m.joined_at, m.user_id limit 1000`,
  )([app.now().getTime(), provider, domain, actor.orgId, Number(guests)])
  const affected = rows.map(({ person, sessions, hasProvider }) => ({
    ...toShownPerson(person),
    sessions,
    hasProvider: hasProvider === 1,
  }))
  const revokedSessions = affected.reduce((sum, row) => sum + row.sessions, 0)
  const revokedGrants = await countGrants(app, actor.orgId)
  return { provider, domain, ...guestsOf(provider, guests), revokedSessions, revokedGrants, affected }
}

/**
 * Sets the one provider that members must sign in with. In the same transaction, it ends all sessions of the members and all
 * connected apps of the organization (SPEC: States, Organization), also when the rule stays the same. Clearing it ends none.
 * Throws `unknown-provider`, `provider-not-configured`, `free-mail-domain` and, without `confirm`, `would-lock-you-out`.
 */
export async function setAuthProvider(app: App, actor: Actor, input: AuthProviderInput): Promise<AuthProviderResult> {
  await checkRequirable(app, actor, input)
  if (!input.confirm) await refuseLockOut(app, actor, input)
  const { provider, domain = null, guests = false } = input
  const isAllowed = `exists (select 1 from org_members where org_id = ? and user_id = ? and role in ('owner', 'admin'))`
  const isSet = `? is not null and ${isAllowed}`
  const isSetArgs = [provider, actor.orgId, actor.userId]
  const now = app.now().getTime()
  const left = guests ? `and not ${isOutside('u')}` : ''
  const members = `in (select u.id from org_members m ${personJoin('m.user_id')} join organizations o on o.id = m.org_id
    where m.org_id = ? ${left})`
  const liveGrants = {
    sql: `${isSet} and org_id = ? and user_id ${members} and expires_at > ?`,
    args: [...isSetArgs, actor.orgId, actor.orgId, now],
  }
  const endGrants = endGrantsStatements(app, liveGrants, 'sign-in-rule')
  const results = await app.db.client.batch(
    [
      deleteSessionsStatement({ sql: `${isSet} and user_id ${members}`, args: [...isSetArgs, actor.orgId] }),
      ...endGrants,
      outdateSignIns(`${isSet} and id ${members}`, [...isSetArgs, actor.orgId]),
      {
        sql: `update organizations set required_auth_provider = ?, required_auth_domain = ?, required_auth_guests = ?
          where id = ? and ${isAllowed}`,
        args: [provider, domain, Number(guests), actor.orgId, actor.orgId, actor.userId],
      },
    ],
    'write',
  )
  if (results.at(-1)?.rowsAffected !== 1) throw new AppError('forbidden')
  const revokedSessions = results[0]?.rowsAffected ?? 0
  const revokedGrants = results.slice(1, 1 + endGrants.length).reduce((sum, { rowsAffected }) => sum + rowsAffected, 0)
  app.log.warn('the sign-in rule of an organization has changed', {
    orgId: actor.orgId,
    provider,
    domain,
    by: actor.userId,
    revokedSessions,
    revokedGrants,
  })
  return { provider, domain, ...guestsOf(provider, guests), revokedSessions, revokedGrants }
}

async function countGrants({ dependents, db, now }: App, orgId: string): Promise<number> {
  const counts = dependents.flatMap(rows => rows.liveGrants?.(orgId, now().getTime()) ?? [])
  const results = await Promise.all(counts.map(statement => db.client.execute(statement)))
  return results.reduce((sum, { rows }) => sum + Number(rows[0]?.live ?? 0), 0)
}

// A rule that no member can meet is always a mistake, so `confirm` does not skip this check.
async function checkRequirable(app: App, actor: Actor, { provider, domain }: AuthProviderInput): Promise<void> {
  const { orgId, role, session } = actor
  const before = await getAuthProvider(app, actor)
  const isOfConnection = [provider, before.provider].some(each => each !== null && isConnectionProvider(each))
  if (isOfConnection && !mayInOrg(role, 'decide-sign-in'))
    throw new AppError('forbidden', { detail: 'Ask an owner: the rule is about a connection.' })
  if (domain && isFreeMailDomain(domain)) throw new AppError('free-mail-domain')
  if (provider === null || (await providersOf(app, orgId)).some(({ id }) => id === provider)) return
  if (isConnectionProvider(provider))
    throw new AppError('provider-not-configured', { detail: 'Activate the connection first.' })
  // With a custom sign-in, the external service names the provider. The caller's own provider is one of them.
  if (app.config.customSignIn && session.provider === provider) return
  throw new AppError(WELL_KNOWN.has(provider) ? 'provider-not-configured' : 'unknown-provider')
}

const WELL_KNOWN = new Set(['google', 'github'])

async function refuseLockOut(app: App, actor: Actor, input: AuthProviderInput): Promise<void> {
  const { provider, domain = null, guests = false } = input
  if (provider === null) return
  const { session } = actor
  if (session.provider === provider && (domain === null || session.providerDomain === domain)) return
  const [usage] = await app.db.prepareRead<{ uses: number; isGuest: number }>(
    `select ${usesProvider('u.id')} as uses, (? and ${isOutside('u')}) as isGuest
     from org_members m ${personJoin('m.user_id')} join organizations o on o.id = m.org_id where m.org_id = ? and u.id = ?`,
  )([provider, domain, Number(guests), actor.orgId, actor.userId])
  if (usage?.uses === 1 || usage?.isGuest === 1) return
  throw new AppError('would-lock-you-out', { detail: 'You have never signed in this way yourself.' })
}
