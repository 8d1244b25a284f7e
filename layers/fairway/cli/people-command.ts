// `fw people`: the accounts of an application, for operators.
import { defineCommand } from 'citty'
import { AppError } from '../server/kernel/http/app-error'
import { type Call, operate, placeOptions, timeOf } from './operate'
import { endWith, say, tellFailure, tellLocalFailure, UsageFault } from './terminal'

const address = { type: 'positional', required: true, description: 'The email address of the account.' } as const

async function idOf(call: Call, idOrEmail: string): Promise<string> {
  const { z } = await import('zod')
  const { emailSchema } = await import('../shared/schemas/email')
  const { parseInput } = await import('../server/kernel/http/read-input')
  const { address } = parseInput(z.object({ address: emailSchema }), { address: idOrEmail })
  let cursor: string | undefined
  do {
    const page = await call('list-people', { search: address, cursor })
    const person = page.people.find(({ email }) => email === address)
    if (person) return person.id
    cursor = page.cursor ?? undefined
  } while (cursor !== undefined)
  throw new AppError('not-found', { detail: `There is no account with the address ${idOrEmail}.` })
}

const listCommand = defineCommand({
  meta: { name: 'list', description: 'List accounts, the newest first, 50 at most.' },
  args: { search: { type: 'string', description: 'Part of the name or of the address.' }, ...placeOptions },
  run: ({ args }) =>
    operate(args, async call => {
      const { people } = await call('list-people', { search: args.search })
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
    until: { type: 'string', description: 'When the suspension ends.' },
    ...placeOptions,
  },
  run: ({ args }) =>
    operate(args, async call => {
      const personId = await idOf(call, args.address)
      await call('suspend-person', { personId, reason: args.reason, until: timeOf(args.until) })
      say('Suspended. Every session has ended.')
      return 0
    }),
})

const reactivateCommand = defineCommand({
  meta: { name: 'reactivate', description: 'End the suspension of an account.' },
  args: { address, ...placeOptions },
  run: ({ args }) =>
    operate(args, async call => {
      await call('reactivate-person', { personId: await idOf(call, args.address) })
      say('The account was reactivated.')
      return 0
    }),
})

const signOutCommand = defineCommand({
  meta: { name: 'sign-out', description: 'Sign a person out everywhere.' },
  args: { address, ...placeOptions },
  run: ({ args }) =>
    operate(args, async call => {
      const { ended } = await call('end-person-sessions', { personId: await idOf(call, args.address) })
      say(`Sessions that have ended: ${ended}.`)
      return 0
    }),
})

const importCommand = defineCommand({
  meta: {
    name: 'import',
    description:
      'Import accounts from a CSV file with the columns email, name, confirmed, password_hash, organization and role.',
  },
  args: {
    file: { type: 'positional', required: true, description: 'The CSV file.' },
    'dry-run': { type: 'boolean', description: 'Say what would happen; write nothing.', default: false },
    yes: { type: 'boolean', description: 'In production: write. Without it nothing is written there.', default: false },
    'create-organizations': {
      type: 'boolean',
      description: 'Create organizations that do not exist. The row of its owner comes first.',
      default: false,
    },
    mail: {
      type: 'boolean',
      description: 'Mail the new people without a password a link to the sign-in page. Default: no mails.',
      default: false,
    },
    json: { type: 'boolean', description: 'Write one JSON object.', default: false },
    operator: placeOptions.operator,
  },
  run: ({ args }) =>
    endWith(
      async () => {
        const { inLocalApp } = await import('./local-app')
        const { importPeople } = await import('./import-people/import-people')
        return inLocalApp(app => importPeople(app, args))
      },
      thrown => (thrown instanceof UsageFault ? tellFailure(thrown) : tellLocalFailure(thrown)),
    ),
})

/** `fw people`: the operators' commands for accounts. */
export const peopleCommand = defineCommand({
  meta: { name: 'people', description: 'The accounts of this application, or with --at of one elsewhere.' },
  subCommands: {
    import: importCommand,
    list: listCommand,
    suspend: suspendCommand,
    reactivate: reactivateCommand,
    'sign-out': signOutCommand,
  },
})
