// `fw org`: the organizations of an application, for operators.
import { defineCommand } from 'citty'
import { AppError } from '../server/kernel/http/app-error'
import { type Call, operate, placeOptions, timeOf } from './operate'
import { say } from './terminal'

const planCommand = defineCommand({
  meta: {
    name: 'plan',
    description:
      'Show the plan of an organization and what it uses, or change it: fw org plan <id> pro --until 2031-05-20',
  },
  args: {
    id: { type: 'positional', required: true, description: 'The ID of the organization.' },
    plan: { type: 'positional', required: false, description: 'The new plan, as fw.config.ts names it.' },
    until: { type: 'string', description: 'When the organization falls back to the default plan.' },
    ...placeOptions,
  },
  run: ({ args }) =>
    operate(args, async call => {
      const { id: orgId, plan, until } = args
      if (plan === undefined) return printPlan(call, orgId)
      const { isChanged } = await call('set-plan', { orgId, plan, until: timeOf(until) })
      if (!isChanged) say('Nothing has changed.')
      return printPlan(call, orgId)
    }),
})

async function printPlan(call: Call, orgId: string): Promise<number> {
  const { plan } = await call('show-organization', { orgId })
  if (!plan) throw new AppError('invalid-input', { detail: 'fw.config.ts declares no plans.' })
  say(`${plan.name}${plan.until ? `, ${plan.isTrial ? 'trial ' : ''}until ${plan.until}` : ''}`)
  for (const { name, used, max } of plan.limits) say(`${name}: ${used}${max === null ? '' : ` of ${max}`}`)
  for (const { name, isIncluded } of plan.features) say(`${name}: ${isIncluded ? 'included' : 'not included'}`)
  return 0
}

const listCommand = defineCommand({
  meta: { name: 'list', description: 'List organizations, the newest first, 50 at most.' },
  args: { search: { type: 'string', description: 'Part of the name, or the ID.' }, ...placeOptions },
  run: ({ args }) =>
    operate(args, async call => {
      const { organizations } = await call('list-organizations', { search: args.search })
      for (const { id, name, members, purgeAt } of organizations)
        say([id, name, `${members} members`, ...(purgeAt ? [`deleted, removed ${purgeAt}`] : [])].join('  '))
      if (organizations.length === 0) say('There is no such organization.')
      return 0
    }),
})

/** `fw org`: the operators' commands for organizations. */
export const orgCommand = defineCommand({
  meta: { name: 'org', description: 'The organizations of this application, or with --at of one elsewhere.' },
  subCommands: { list: listCommand, plan: planCommand },
})
