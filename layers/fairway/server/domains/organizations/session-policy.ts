// The session policy of an organization: how long a sign-in counts, how long it may rest, and from which networks. It is asked
// where a session or a grant opens the organization, so other organizations stay open.
import ipaddr from 'ipaddr.js'
import type { App } from '#fairway/server/kernel/app-context'
import { findRun } from '#fairway/server/kernel/current-run'
import type { SessionPolicy, SessionPolicyReason } from '#fairway/shared/schemas/session-policy'

const MINUTE_IN_MS = 60 * 1000
const HOUR_IN_MS = 60 * MINUTE_IN_MS

/** The columns of the policy; all null for a person without an organization. */
export interface SessionPolicyRow {
  idleMinutes: number | null
  maxHours: number | null
  /** JSON: the networks in CIDR form. */
  networks: string | null
  policyApps: number | null
}

export const sessionPolicyColumns = `o.session_idle_minutes as idleMinutes, o.session_max_hours as maxHours,
  o.session_networks as networks, o.session_policy_apps as policyApps`

/** When a session or grant began and how it was used since, in milliseconds. */
export interface SessionTimes {
  signedInAt: number
  usedAt: number
  /** The longest time between two uses so far. */
  longestPause: number
  /** Whether it is the grant of an app or an API token. */
  isApp?: boolean
  /** The network address of this request. Default: that of the run. */
  address?: string | null
}

/** Whether an organization has a policy, whose answer depends on the clock and the network of each request. */
export const hasSessionPolicy = ({ idleMinutes, maxHours, networks }: SessionPolicyRow): boolean =>
  idleMinutes !== null || maxHours !== null || networks !== null

/**
 * Why the policy of a row closes the organization; undefined when it does not. A pause that was too long counts until the next
 * sign-in. Without times (a program without a session), only the network is asked.
 */
export function sessionPolicyReason(
  app: App,
  row: SessionPolicyRow,
  times: SessionTimes | undefined,
): SessionPolicyReason | undefined {
  if (!hasSessionPolicy(row) || (times?.isApp && row.policyApps !== 1)) return undefined
  const address = times?.address ?? findRun()?.clientAddress
  const overdue = times && overdueReason(row, times, app.now().getTime())
  if (overdue) return overdue
  return address !== undefined && !isInside(address, readNetworks(row.networks)) ? 'network' : undefined
}

/** Whether a session has lasted or rested too long for a policy. */
export function overdueReason(
  { idleMinutes, maxHours }: Pick<SessionPolicy, 'idleMinutes' | 'maxHours'>,
  { signedInAt, usedAt, longestPause }: SessionTimes,
  now: number,
): 'age' | 'idle' | undefined {
  if (maxHours !== null && now - signedInAt >= maxHours * HOUR_IN_MS) return 'age'
  const pause = Math.max(longestPause, now - usedAt)
  return idleMinutes !== null && pause >= idleMinutes * MINUTE_IN_MS ? 'idle' : undefined
}

/** The stored networks; null for no limit. */
export const readNetworks = (networks: string | null): string[] | null =>
  networks === null ? null : JSON.parse(networks)

/** Whether an address is in one of the networks; true without any. A mapped IPv4 address counts as that address. */
export function isInside(address: string, networks: readonly string[] | null): boolean {
  if (networks === null || !ipaddr.isValid(address)) return networks === null
  const plain = ipaddr.process(address)
  return networks.some(network => {
    const [base, bits] = ipaddr.parseCIDR(network)
    return base.kind() === plain.kind() && plain.match(base, bits)
  })
}
