// `fw org`: organizations of this folder's database, for operators.
import { defineCommand } from 'citty'
import { setPlanHere, showPlan } from '../server/domains/plans'
import { AppError } from '../server/kernel/http/app-error'
import { withLocalApp } from './local-app'
import { say } from './terminal'

const dateOf = (given: string | undefined): Date | null => {
  if (given === undefined) return null
  const date = new Date(given)
  if (Number.isNaN(date.getTime()))
    throw new AppError('invalid-input', { detail: `--until takes a time such as 2031-05-20, not ${given}.` })
  return date
}

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
  },
  run: ({ args }) =>
    withLocalApp(async app => {
      const until = dateOf(args.until)
      if (args.plan !== undefined && !(await setPlanHere(app, args.id, args.plan, { until })))
        say('Nothing has changed.')
      const plan = await showPlan(app, args.id)
      if (!plan) throw new AppError('invalid-input', { detail: 'fw.config.ts declares no plans.' })
      say(`${plan.name}${plan.until ? `, ${plan.isTrial ? 'trial ' : ''}until ${plan.until}` : ''}`)
      for (const { name, used, max } of plan.limits) say(`${name}: ${used}${max === null ? '' : ` of ${max}`}`)
      for (const { name, isIncluded } of plan.features) say(`${name}: ${isIncluded ? 'included' : 'not included'}`)
      return 0
    }),
})

/** `fw org`: what operators do with organizations. */
export const orgCommand = defineCommand({
  meta: { name: 'org', description: 'Organizations in the database of this folder.' },
  subCommands: { plan: planCommand },
})
