// `fw people`: the accounts in this folder's database, for operators.
import { defineCommand } from 'citty'
import { endSessionsOf, findPerson, listPeople, reactivatePerson, suspendPerson } from '../server/domains/people'
import type { App } from '../server/kernel/app-context'
import { AppError } from '../server/kernel/http/app-error'
import { dateOf, operatorOption, withLocalApp, withOperator } from './local-app'
import { say } from './terminal'

const address = { type: 'positional', required: true, description: 'The e-mail address of the account.' } as const

async function idOf(app: App, email: string): Promise<string> {
  const person = await findPerson(app, { email: email.trim().toLowerCase() })
  if (!person) throw new AppError('not-found', { detail: `There is no account with the address ${email}.` })
  return person.userId
}

const listCommand = defineCommand({
  meta: { name: 'list', description: 'List accounts, the newest first, 50 at most.' },
  args: { search: { type: 'string', description: 'Part of the name or of the address.' } },
  run: ({ args }) =>
    withLocalApp(async app => {
      const { people } = await listPeople(app, { search: args.search })
      for (const { id, email, name, suspension } of people)
        say([id, email, name, ...(suspension ? [`suspended: ${suspension.reason}`] : [])].join('  '))
      if (people.length === 0) say('There is no such account.')
      return 0
    }),
})

const suspendCommand = defineCommand({
  meta: {
    name: 'suspend',
    description: 'Suspend an account: fw people suspend ada@example.com --reason "An unpaid bill" --until 2031-05-20',
  },
  args: {
    address,
    reason: { type: 'string', required: true, description: 'Why; the person reads it.' },
    until: { type: 'string', description: 'When the suspension ends by itself.' },
    operator: operatorOption,
  },
  run: ({ args }) =>
    withOperator(args.operator, async (app, { session, record }) => {
      const personId = await idOf(app, args.address)
      const { reason } = args
      await suspendPerson(app, { userId: personId, by: session?.userId ?? '', reason, until: dateOf(args.until) })
      await record('suspend-person', { personId, reason })
      say('Suspended. Every session has ended.')
      return 0
    }),
})

const reactivateCommand = defineCommand({
  meta: { name: 'reactivate', description: 'End the suspension of an account.' },
  args: { address, operator: operatorOption },
  run: ({ args }) =>
    withOperator(args.operator, async (app, { record }) => {
      const personId = await idOf(app, args.address)
      await reactivatePerson(app, personId)
      await record('reactivate-person', { personId })
      say('The suspension has ended.')
      return 0
    }),
})

const signOutCommand = defineCommand({
  meta: { name: 'sign-out', description: 'Sign a person out everywhere.' },
  args: { address, operator: operatorOption },
  run: ({ args }) =>
    withOperator(args.operator, async (app, { record }) => {
      const personId = await idOf(app, args.address)
      const ended = await endSessionsOf(app, personId)
      await record('end-person-sessions', { personId })
      say(`Sessions that have ended: ${ended}.`)
      return 0
    }),
})

/** `fw people`: what operators do with accounts. */
export const peopleCommand = defineCommand({
  meta: { name: 'people', description: 'The accounts of this application.' },
  subCommands: {
    list: listCommand,
    suspend: suspendCommand,
    reactivate: reactivateCommand,
    'sign-out': signOutCommand,
  },
})
