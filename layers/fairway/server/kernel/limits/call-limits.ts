// Limits how often one person, organization or network may call a declaration with a `limit`: authors' actions and public routes,
// and the platform's operations.
import { z } from 'zod'
import type { App } from '../app-context'
import { addressKey } from '../http/client-address'
import type { CallLimit, CallsPer, Limit } from './limits'
import { rateLimit } from './rate-limit'

const callLimitSchema = z.strictObject({
  per: z.enum(['person', 'organization', 'network']),
  max: z.int().min(1),
  window: z
    .int()
    .min(1)
    .max(366 * 24 * 60 * 60),
})

/** The option `limit` of a declaration: one limit, or several that all apply. */
export const limitOption = z
  .union([callLimitSchema, z.array(callLimitSchema).min(1)])
  .optional()
  .transform((value): CallLimit[] => (value ? [value].flat() : []))

/** The values that authors write for `limitOption`. */
export type LimitOption = CallLimit | readonly CallLimit[]

/** The caller: a person, an organization and a network, as far as they are known. */
export interface LimitedCaller {
  session: { userId: string; orgId: string | null; serviceAccount?: { id: string } } | null
  /** Missing where another application, a job or the command line calls. */
  clientAddress?: string
}

/** Counts one call of this name under each of its limits. Throws `rate-limited` with `Retry-After` beyond one of them. */
export async function limitCalls(
  app: App,
  name: string,
  limits: readonly CallLimit[],
  caller: LimitedCaller,
): Promise<void> {
  for (const limit of limits) await limitCall(app, { ...limit, name: `${name}:${limit.per}:${limit.window}` }, caller)
}

/** Counts one call under a limit, by its `per`. Throws `rate-limited` with `Retry-After` beyond it. */
export const limitCall = (app: App, limit: Limit & { per: CallsPer }, caller: LimitedCaller): Promise<void> =>
  rateLimit(app, limit, subjectOf(limit.per, caller))

/**
 * Returns the counted subject, with a fallback for an unknown one. A signed-out caller counts by network, and a person without an
 * organization counts as a person.
 */
function subjectOf(per: CallsPer, { session, clientAddress }: LimitedCaller): string {
  const network = clientAddress === undefined ? undefined : `network:${addressKey(clientAddress)}`
  const person = session ? `person:${session.serviceAccount?.id ?? session.userId}` : undefined
  const organization = session?.orgId ? `organization:${session.orgId}` : undefined
  const known = { person: [person, network], organization: [organization, person, network], network: [network, person] }
  return known[per].find(subject => subject !== undefined) ?? 'unknown'
}
