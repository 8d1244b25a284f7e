import { SEATS_TABLE, seatsTaken } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { limitFacts, limitSentence } from '#fairway/server/kernel/config/plans-config'
import { planOf } from './plan-of'

interface SeatsLeft {
  left: number
  /** The limit as a sentence. */
  sentence: string
}

/**
 * How many members an organization can add under its plan; undefined without a limit. Null is an organization that is about to be
 * created.
 */
export async function seatsLeft(app: App, orgId: string | null): Promise<SeatsLeft | undefined> {
  const { plans } = app.config
  if (!plans) return undefined
  const plan = orgId === null ? (plans.trial?.plan ?? plans.default) : (await planOf(app, plans, orgId)).name
  const { rows } = await app.db.client.execute({
    sql: `select ${seatsTaken.joined.count('?1')} as used`,
    args: [orgId],
  })
  const limits = Object.entries(plans.limits).flatMap(([limit, { counts }]) => {
    const max = counts === SEATS_TABLE ? plans.plans[plan]?.limits[limit] : undefined
    if (max === undefined) return []
    return [{ left: max - Number(rows[0]?.used), sentence: limitSentence(limitFacts(plans, limit, plan)) }]
  })
  return limits.toSorted((one, other) => one.left - other.left)[0]
}
