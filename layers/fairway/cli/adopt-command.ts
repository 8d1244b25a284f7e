import { defineCommand } from 'citty'
import { inApplication } from './project/in-application'
import { UsageFault } from './terminal'

const table = defineCommand({
  meta: {
    name: 'table',
    description: 'Give the rows of an existing table an organization: fw adopt table reports --org --to "Acme"',
  },
  args: {
    name: { type: 'positional', required: true, description: 'A table of server/database.' },
    org: { type: 'boolean', default: false, description: 'Its rows belong to organizations.' },
    to: { type: 'string', description: 'All rows go to this organization: its name or its ID.' },
    by: {
      type: 'string',
      description: 'Or: the column that names the organization of a row, or the address of a member.',
    },
    'dry-run': {
      type: 'boolean',
      default: false,
      description: 'Show everything that would be written; write nothing.',
    },
  },
  run: ({ args }) =>
    inApplication(async root => {
      if (!args.org) throw new UsageFault('Say whose the rows are: `--org` gives them to organizations.')
      const { planAdoption } = await import('./adopt/adopt-table')
      const { carryOut } = await import('./generate-command')
      return carryOut(root, await planAdoption(root, args), args['dry-run'])
    }),
})

/** `fw adopt`: prepares what an application had before the platform. */
export const adoptCommand = defineCommand({
  meta: { name: 'adopt', description: 'Let the platform know what your application had before.' },
  subCommands: { table },
})
