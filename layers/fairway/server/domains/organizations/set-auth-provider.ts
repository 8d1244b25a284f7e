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
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { AuthProviderResult } from '#fairway/shared/schemas/organization'
import type { Session } from '#fairway/shared/schemas/session'
import { isFreeMailDomain } from './domain-names'
import { requirableProviders, type Actor } from './org-context'

export interface AuthProviderInput {
  /** The ID of the one provider that members must sign in with; null requires none. */
  provider: string | null
  /** The normalized domain or tenant that the account there must belong to; null for any account. */
  domain?: string | null
  /** Sets the rule even if it locks the caller out. */
  confirm?: boolean
}

/** Returns the organization's rule and the providers that can be chosen. */
export async function getAuthProvider(app: App, { orgId }: Actor) {
  const [row] = await app.db.prepareRead<{ provider: string | null; domain: string | null }>(
    'select required_auth_provider as provider, required_auth_domain as domain from organizations where id = ?',
  )([orgId])
  return {
    provider: row?.provider ?? null,
    domain: row?.domain ?? null,
    providers: requirableProviders(app).map(({ id, name }) => ({ id, name })),
  }
}

/** Previews a rule without changing anything: the members who would be signed out, and those who have never used the provider. */
export async function planAuthProvider(app: App, actor: Actor, input: AuthProviderInput): Promise<AuthProviderResult> {
  checkRequirable(app, actor.session, input)
  const { provider, domain = null } = input
  if (provider === null) return { provider, domain, revokedSessions: 0, revokedGrants: 0, affected: [] }
  const rows = await app.db.prepareRead<{ person: string; sessions: number; hasProvider: number }>(
    `select ${shownPersonSql()} as person,
      ${liveSessionCount('u.id')} as sessions, ${usesProvider('u.id')} as hasProvider
     from org_members m ${personJoin('m.user_id')} where m.org_id = ? order by m.joined_at, m.user_id limit 1000`,
  )([app.now().getTime(), provider, domain, actor.orgId])
  const affected = rows.map(({ person, sessions, hasProvider }) => ({
    ...toShownPerson(person),
    sessions,
    hasProvider: hasProvider === 1,
  }))
  const revokedSessions = affected.reduce((sum, row) => sum + row.sessions, 0)
  return { provider, domain, revokedSessions, revokedGrants: await countGrants(app, actor.orgId), affected }
}

/**
 * Sets the one provider that members must sign in with. In the same transaction, it ends all sessions of the members and all
 * connected apps of the organization (SPEC: States, Organization), also when the rule stays the same. Clearing it ends none.
 * Throws `unknown-provider`, `provider-not-configured`, `free-mail-domain` and, without `confirm`, `would-lock-you-out`.
 */
export async function setAuthProvider(app: App, actor: Actor, input: AuthProviderInput): Promise<AuthProviderResult> {
  checkRequirable(app, actor.session, input)
  if (!input.confirm) await refuseLockOut(app, actor, input)
  const { provider, domain = null } = input
  const isAllowed = `exists (select 1 from org_members where org_id = ? and user_id = ? and role in ('owner', 'admin'))`
  const isSet = `? is not null and ${isAllowed}`
  const isSetArgs = [provider, actor.orgId, actor.userId]
  const now = app.now().getTime()
  const members = 'in (select user_id from org_members where org_id = ?)'
  const liveGrants = { sql: `${isSet} and org_id = ? and expires_at > ?`, args: [...isSetArgs, actor.orgId, now] }
  const endGrants = endGrantsStatements(app, liveGrants, 'sign-in-rule')
  const results = await app.db.client.batch(
    [
      deleteSessionsStatement({ sql: `${isSet} and user_id ${members}`, args: [...isSetArgs, actor.orgId] }),
      ...endGrants,
      outdateSignIns(`${isSet} and id ${members}`, [...isSetArgs, actor.orgId]),
      {
        sql: `update organizations set required_auth_provider = ?, required_auth_domain = ? where id = ? and ${isAllowed}`,
        args: [provider, domain, actor.orgId, actor.orgId, actor.userId],
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
  return { provider, domain, revokedSessions, revokedGrants }
}

async function countGrants({ dependents, db, now }: App, orgId: string): Promise<number> {
  const counts = dependents.flatMap(rows => rows.countGrants?.(orgId, now().getTime()) ?? [])
  const results = await Promise.all(counts.map(statement => db.client.execute(statement)))
  return results.reduce((sum, { rows }) => sum + Number(rows[0]?.live ?? 0), 0)
}

// A rule that no member can meet is always a mistake, so `confirm` does not skip this check.
function checkRequirable(app: App, session: Session, { provider, domain }: AuthProviderInput): void {
  if (domain && isFreeMailDomain(domain)) throw new AppError('free-mail-domain')
  if (provider === null || requirableProviders(app).some(({ id }) => id === provider)) return
  // With a custom sign-in, the external service names the provider. The caller's own provider is one of them.
  if (app.config.customSignIn && session.provider === provider) return
  throw new AppError(WELL_KNOWN.has(provider) ? 'provider-not-configured' : 'unknown-provider')
}

const WELL_KNOWN = new Set(['google', 'github'])

async function refuseLockOut(app: App, actor: Actor, { provider, domain = null }: AuthProviderInput): Promise<void> {
  if (provider === null) return
  const { session } = actor
  if (session.provider === provider && (domain === null || session.providerDomain === domain)) return
  const [usage] = await app.db.prepareRead<{ uses: number }>(`select ${usesProvider('?')} as uses`)([
    actor.userId,
    provider,
    domain,
  ])
  if (usage?.uses === 1) return
  throw new AppError('would-lock-you-out', { detail: 'You have never signed in this way yourself.' })
}
