// `fw org`: organizations of this folder's database, for operators.
import { defineCommand } from 'citty'
import { listOrganizations } from '../server/domains/organizations'
import { changePlan, showPlan } from '../server/domains/plans'
import type { App } from '../server/kernel/app-context'
import { AppError } from '../server/kernel/http/app-error'
import { dateOf, operatorOption, withLocalApp, withOperator } from './local-app'
import { say } from './terminal'

const planCommand = defineCommand({
  meta: {
    name: 'plan',
    description:
      'Show the plan of an organization and what it uses, or give it one: fw org plan <id> pro --until 2031-05-20',
  },
  args: {
    id: { type: 'positional', required: true, description: 'The id of the organization.' },
    plan: { type: 'positional', required: false, description: 'The plan to give it, as fw.config.ts names it.' },
    until: { type: 'string', description: 'When the organization falls back to the default plan.' },
    operator: operatorOption,
  },
  run: ({ args: { id, plan, until, operator } }) =>
    plan === undefined
      ? withLocalApp(app => printPlan(app, id))
      : withOperator(operator, async (app, { record }) => {
          const isChanged = await changePlan(app, app.db.orm, id, plan, { until: dateOf(until) })
          if (isChanged) await record('set-plan', { orgId: id, plan }, id)
          else say('Nothing has changed.')
          return printPlan(app, id)
        }),
})

async function printPlan(app: App, id: string): Promise<number> {
  const plan = await showPlan(app, id)
  if (!plan) throw new AppError('invalid-input', { detail: 'fw.config.ts declares no plans.' })
  say(`${plan.name}${plan.until ? `, ${plan.isTrial ? 'trial ' : ''}until ${plan.until}` : ''}`)
  for (const { name, used, max } of plan.limits) say(`${name}: ${used}${max === null ? '' : ` of ${max}`}`)
  for (const { name, isIncluded } of plan.features) say(`${name}: ${isIncluded ? 'included' : 'not included'}`)
  return 0
}

const listCommand = defineCommand({
  meta: { name: 'list', description: 'List organizations, the newest first, 50 at most.' },
  args: { search: { type: 'string', description: 'Part of the name, or the id.' } },
  run: ({ args }) =>
    withLocalApp(async app => {
      const { organizations } = await listOrganizations(app, { search: args.search })
      for (const { id, name, members, purgeAt } of organizations)
        say([id, name, `${members} members`, ...(purgeAt ? [`deleted, removed ${purgeAt}`] : [])].join('  '))
      if (organizations.length === 0) say('There is no such organization.')
      return 0
    }),
})

/** `fw org`: what operators do with organizations. */
export const orgCommand = defineCommand({
  meta: { name: 'org', description: 'Organizations in the database of this folder.' },
  subCommands: { list: listCommand, plan: planCommand },
})
