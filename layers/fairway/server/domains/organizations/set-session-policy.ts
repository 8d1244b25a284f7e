import { isIP } from 'node:net'
import { z } from 'zod'
import { listSessionsOf } from '#fairway/server/domains/people'
import type { App } from '#fairway/server/kernel/app-context'
import { requireRun } from '#fairway/server/kernel/current-run'
import { AppError } from '#fairway/server/kernel/http/app-error'
import type { SessionPolicy, SessionPolicyPlan } from '#fairway/shared/schemas/session-policy'
import type { Actor } from './org-context'
import { isInside, overdueReason, readNetworks, type SessionPolicyRow, sessionPolicyColumns } from './session-policy'

/** A network as it is stored, with the length of its prefix: `192.0.2.7` becomes `192.0.2.7/32`. */
export const toNetwork = (typed: string): string =>
  typed.includes('/') ? typed : `${typed}/${isIP(typed) === 6 ? 128 : 32}`

/** Whether a text is a network or an address, in plain spelling. The library alone would take `1` and octal numbers. */
export function isNetwork(typed: string): boolean {
  const [address = '', bits, ...more] = typed.split('/')
  const family = isIP(address)
  if (family === 0 || address.includes('%') || more.length > 0) return false
  if (bits === undefined) return true
  return /^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= (family === 6 ? 128 : 32)
}

const network = z.string().trim().refine(isNetwork, 'Enter a network like 192.0.2.0/24 or 2001:db8::/32.')

/** A session policy as people enter it. */
export const policySchema = z.object({
  idleMinutes: z.int().min(10).max(43_200).nullable().default(null).describe('Minutes without use; at least 10.'),
  maxHours: z.int().min(1).max(4320).nullable().default(null).describe('Hours since the sign-in.'),
  networks: z
    .array(network)
    .min(1, 'Name a network, or leave the limit out.')
    .max(200)
    .nullable()
    .default(null)
    .describe('In CIDR form; an address alone is a network of one.'),
  apps: z.boolean().default(false).describe('Whether connected apps and API tokens are asked too.'),
})

/** The policy of an organization. */
export async function getSessionPolicy(app: App, { orgId }: Pick<Actor, 'orgId'>): Promise<SessionPolicy> {
  const [row] = await app.db.prepareRead<SessionPolicyRow>(
    `select ${sessionPolicyColumns} from organizations o where o.id = ?`,
  )([orgId])
  return {
    idleMinutes: row?.idleMinutes ?? null,
    maxHours: row?.maxHours ?? null,
    networks: readNetworks(row?.networks ?? null),
    apps: row?.policyApps === 1,
  }
}

/** The people and apps that a policy would cut off now, by their sessions and grants. Changes nothing. */
export async function planSessionPolicy(app: App, actor: Actor, typed: SessionPolicy): Promise<SessionPolicyPlan> {
  const policy = { ...typed, networks: typed.networks?.map(toNetwork) ?? null }
  checkOwnNetwork(policy)
  const now = app.now().getTime()
  const members = { sql: 'select user_id from org_members where org_id = ?', args: [actor.orgId] }
  const sessions = await listSessionsOf(app, members)
  const cutOff = sessions.filter(
    session =>
      overdueReason(policy, session, now) || (session.address !== null && !isInside(session.address, policy.networks)),
  )
  return {
    ...policy,
    sessions: cutOff.length,
    people: [...new Set(cutOff.map(({ email }) => email))],
    // Hosted agents call from the clouds of their makers, which are in no list of a company's networks.
    affectedApps: policy.apps && policy.networks !== null ? await listAppNames(app, actor.orgId) : [],
  }
}

async function listAppNames(app: App, orgId: string): Promise<string[]> {
  const grants = app.dependents.flatMap(rows => rows.liveGrants?.(orgId, app.now().getTime()) ?? [])
  const results = await Promise.all(grants.map(statement => app.db.client.execute(statement)))
  return results.flatMap(({ rows }) => JSON.parse(String(rows[0]?.names ?? '[]')))
}

/** Sets the policy of an organization. Throws `would-lock-you-out` when the caller's own network is outside. */
export async function setSessionPolicy(app: App, actor: Actor, policy: SessionPolicy): Promise<SessionPolicyPlan> {
  const plan = await planSessionPolicy(app, actor, policy)
  const { idleMinutes, maxHours, networks, apps } = plan
  const { rowsAffected } = await app.db.client.execute({
    sql: `update organizations set session_idle_minutes = ?, session_max_hours = ?, session_networks = ?, session_policy_apps = ?
      where id = ? and exists (select 1 from org_members where org_id = ? and user_id = ? and role = 'owner')`,
    args: [
      idleMinutes,
      maxHours,
      networks === null ? null : JSON.stringify(networks),
      Number(apps),
      actor.orgId,
      actor.orgId,
      actor.userId,
    ],
  })
  if (rowsAffected === 0) throw new AppError('forbidden')
  app.log.warn('the session policy of an organization has changed', {
    orgId: actor.orgId,
    by: actor.userId,
    idleMinutes,
    maxHours,
    networks,
    apps,
  })
  return plan
}

function checkOwnNetwork({ networks }: SessionPolicy): void {
  const address = requireRun().clientAddress
  if (address !== undefined && isInside(address, networks)) return
  if (networks === null) return
  throw new AppError('would-lock-you-out', {
    detail: `Your own address ${address ?? ''} is not in these networks.`,
    extra: { address },
  })
}
