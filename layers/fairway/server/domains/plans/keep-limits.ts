// The limits of plans, as triggers on the counted tables. They apply inside the statement that writes, to every writer and
// under concurrency. At the limit, inserts fail. Above it, after a change to a smaller plan, rows can only be read and deleted.
import { z } from 'zod'
import { SEATS_TABLE, seatsTaken } from '#fairway/server/domains/organizations'
import type { App } from '#fairway/server/kernel/app-context'
import { limitFacts, limitSentence, type PlansConfig } from '#fairway/server/kernel/config/plans-config'
import { keepTriggers, triggerSql } from '#fairway/server/kernel/database/keep-triggers'
import { raiseSql } from '#fairway/server/kernel/database/refusals'
import { literal, quoteName } from '#fairway/server/kernel/database/sql-text'
import { FOLDED_TYPE } from '#fairway/server/kernel/field-types'
import { CREATOR_TYPE, PERSON_TYPE } from '#fairway/server/kernel/owned-rows'
import { countSql, PLANS_TABLE } from './plan-of'

const PREFIX = 'fw_plan_'
const DAY_IN_MS = 24 * 60 * 60 * 1000

/**
 * Creates, updates and drops the triggers of plans to match fw.config.ts. Throws for a limit of a table that does not exist or
 * has no `org_id`.
 */
export async function keepLimits(app: App): Promise<void> {
  const { plans } = app.config
  const wanted = new Map<string, string>()
  for (const [limit, { counts }] of Object.entries(plans?.limits ?? {}))
    for (const [name, sql] of await limitTriggers(app, plans!, limit, counts)) wanted.set(name, sql)
  if (plans?.trial) wanted.set(...trialTrigger(plans.trial))
  await keepTriggers(app.db.client, PREFIX, wanted)
}

type Trigger = [name: string, sql: string]

async function limitTriggers(app: App, plans: PlansConfig, limit: string, table: string): Promise<Trigger[]> {
  const trigger = (name: string, when: string, does: string): Trigger => {
    const whole = `${PREFIX}${limit}:${name}`
    return [whole, triggerSql(whole, when, does)]
  }
  if (table === SEATS_TABLE)
    return Object.entries(seatsTaken).map(([name, { when, count }]) =>
      trigger(
        name,
        when,
        refusals(plans, limit, 'plan-limit', () => count('new.org_id')),
      ),
    )
  const count = (max: number) => countSql(table, 'new.org_id', max + 1)
  const columns = await changedColumns(app, limit, table)
  const added = trigger('added', `after insert on ${quoteName(table)}`, refusals(plans, limit, 'plan-limit', count))
  if (columns.length === 0) return [added]
  const when = `after update of ${columns.map(quoteName).join(', ')} on ${quoteName(table)}`
  return [added, trigger('changed', when, refusals(plans, limit, 'plan-read-only', count))]
}

/** One statement for each plan with a maximum for this limit. It fails when the organization is on that plan and has more. */
function refusals(
  config: PlansConfig,
  limit: string,
  code: 'plan-limit' | 'plan-read-only',
  count: (max: number) => string,
): string {
  const { plans, default: byDefault } = config
  const current = `(select plan from ${PLANS_TABLE} where org_id = new.org_id)`
  const others = Object.keys(plans).filter(name => name !== byDefault)
  return Object.entries(plans)
    .filter(([, { limits }]) => limits[limit] !== undefined)
    .map(([plan, { limits }]) => {
      const max = limits[limit] ?? 0
      const isOn =
        plan === byDefault
          ? `coalesce(${current}, '') not in (${others.map(literal).join(', ')})`
          : `${current} = ${literal(plan)}`
      const facts = limitFacts(config, limit, plan)
      return `${raiseSql(code, { ...facts, ...(code === 'plan-limit' ? { detail: limitSentence(facts) } : {}) })} where new.org_id is not null and ${isOn} and ${count(max)} > ${max};`
    })
    .join(' ')
}

const COLUMNS = `select name, lower(type) as type, pk > 0 or exists (
    select 1 from pragma_foreign_key_list(?1) f where f."from" = c.name) as isKept
  from pragma_table_info(?1) c`

const columnSchema = z.object({ name: z.string(), type: z.string(), isKept: z.number().transform(Boolean) })

const OF_PLATFORM = new Set(['org_id', 'owner_email', 'visibility', 'created_by'])
const OF_TRIGGERS = new Set([PERSON_TYPE, CREATOR_TYPE, FOLDED_TYPE])

/**
 * The columns that people change. Above a limit, the handover by a leaving member and references to deleted rows can still be
 * written.
 */
async function changedColumns(app: App, limit: string, table: string): Promise<string[]> {
  const { rows } = await app.db.client.execute({ sql: COLUMNS, args: [table] })
  const columns = rows.map(row => columnSchema.parse(row))
  if (!columns.some(({ name }) => name === 'org_id'))
    throw new Error(`plans: the limit ${limit} counts ${table}, which is no table with a column org_id`)
  return columns
    .filter(({ name, type, isKept }) => !isKept && !OF_PLATFORM.has(name) && !OF_TRIGGERS.has(type))
    .map(({ name }) => name)
}

/** A new organization starts with its trial, however it is created. */
function trialTrigger({ plan, days }: NonNullable<PlansConfig['trial']>): Trigger {
  const name = `${PREFIX}trial`
  const values = `new.id, ${literal(plan)}, new.created_at + ${days * DAY_IN_MS}, 1, new.created_at`
  const does = `insert into ${PLANS_TABLE} (org_id, plan, until, is_trial, changed_at) values (${values});`
  return [name, triggerSql(name, `after insert on ${quoteName('organizations')}`, does)]
}
