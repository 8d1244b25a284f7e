import { defineCommand } from 'citty'
import type { GeneratePlan } from './generate/plan'
import type { ResourceArgs } from './generate/resource-plan'
import type { FileChange } from './project/changes'
import { inApplication } from './project/in-application'
import { say, sayNext } from './terminal'
import { restArg } from './usage'

const common = {
  force: {
    type: 'boolean',
    default: false,
    description: 'Also write over files that you have changed.',
  },
  'dry-run': {
    type: 'boolean',
    default: false,
    description: 'Show everything that would be written; write nothing.',
  },
} as const
const org = {
  type: 'boolean',
  default: false,
  description: 'For people in an organization, who work on it together.',
} as const

const plural = { type: 'string', description: 'The plural, where it is not the English one.' } as const

/** Plans changes of the application around this folder, shows the plan, and writes it. */
const generate = (
  { 'dry-run': isDry }: { 'dry-run': boolean },
  plan: (root: string) => GeneratePlan | Promise<GeneratePlan>,
): Promise<void> => inApplication(async root => carryOut(root, await plan(root), isDry))

/** Shows a plan, writes it except in a dry run, and returns the exit code: 1 when edited files stay unchanged. */
export async function carryOut(
  root: string,
  { changes, kept: skipped, remarks, next }: GeneratePlan,
  isDry: boolean,
): Promise<number> {
  const { showChanges, writeChanges } = await import('./project/changes')
  // A dry run shows the text of new files, but never the snapshots of drizzle-kit.
  const isShown = ({ path, before }: FileChange) => !path.startsWith('drizzle/meta/') && (isDry || before !== undefined)
  showChanges(changes.filter(isShown))
  if (skipped.length > 0) {
    say('You have edited these files where the generator would write, so they stay as they are. It would change:')
    showChanges(skipped)
    say('Make the changes that you need by hand, or overwrite the files with `--force`.')
  }
  if (changes.length + skipped.length === 0) {
    say('Nothing to change: everything is there already.')
    return 0
  }
  if (isDry && changes.length > 0) say('Nothing was written. Without `--dry-run`:')
  else writeChanges(root, changes)
  for (const { path, before } of changes) say(`  ${before === undefined ? 'new    ' : 'changed'}  ${path}`)
  for (const remark of remarks) say(remark)
  if (changes.length > 0 && !isDry) sayNext(next)
  return skipped.length > 0 ? 1 : 0
}

const listed = (text: string | undefined): string[] => (text ?? '').split(',').flatMap(part => part.trim() || [])

type ResourceCommand = { name: string; plural?: string; force: boolean; 'dry-run': boolean }

/** Plans a new resource, or additions to an existing one. */
const generateResource = (args: ResourceCommand, more: Partial<ResourceArgs>): Promise<void> =>
  generate(args, async root => {
    const { planResource } = await import('./generate/resource-plan')
    const { name, plural: many, force } = args
    return planResource(root, { name, plural: many, force, isOrg: false, fields: [], ...more })
  })

const resource = defineCommand({
  meta: {
    name: 'resource',
    description:
      'A noun with all that belongs to it: fw generate resource issue title:text "status:enum(open,done)" dueAt:date --org',
  },
  args: {
    name: {
      type: 'positional',
      required: true,
      description: 'The noun in the singular.',
    },
    fields: restArg('Its fields, name:type.'),
    org,
    plural,
    ...common,
  },
  run: ({ args }) => generateResource(args, { isOrg: args.org, fields: args._.slice(1) }),
})

const field = defineCommand({
  meta: {
    name: 'field',
    description: 'A further field of a resource: fw generate field deal probability:number?',
  },
  args: {
    name: {
      type: 'positional',
      required: true,
      description: 'The resource in the singular.',
    },
    fields: restArg('Its new fields, name:type.'),
    plural,
    ...common,
  },
  run: ({ args }) => generateResource(args, { fields: args._.slice(1), isThere: true }),
})

const imports = defineCommand({
  meta: {
    name: 'import',
    description: 'Import of many rows from a file of a spreadsheet: fw generate import deal',
  },
  args: {
    name: { type: 'positional', required: true, description: 'The resource in the singular.' },
    plural,
    ...common,
  },
  run: ({ args }) => generateResource(args, { isThere: true, hasImport: true }),
})

const action = defineCommand({
  meta: { name: 'action', description: 'An action: fw generate action close-issues before:date' },
  args: {
    name: {
      type: 'positional',
      required: true,
      description: 'Its name.',
    },
    fields: restArg('The fields of its input, name:type.'),
    org,
    ...common,
  },
  run: ({ args }) =>
    generate(args, async root => {
      const { planAction } = await import('./generate/pieces')
      return planAction(root, {
        name: args.name,
        isOrg: args.org,
        force: args.force,
        fields: args._.slice(1),
      })
    }),
})

const job = defineCommand({
  meta: { name: 'job', description: 'Work beside requests: fw generate job morning-mail --schedule "0 7 * * *"' },
  args: {
    name: {
      type: 'positional',
      required: true,
      description: 'Its name.',
    },
    fields: restArg('The fields of its input, name:type.'),
    schedule: { type: 'string', description: 'When it runs, as a cron expression.' },
    ...common,
  },
  run: ({ args }) =>
    generate(args, async root => {
      const { planJob } = await import('./generate/job')
      return planJob(root, { ...args, fields: args._.slice(1) })
    }),
})

const mail = defineCommand({
  meta: { name: 'mail', description: 'A mail with its texts: fw generate mail morning-deals name:text --topic digest' },
  args: {
    name: {
      type: 'positional',
      required: true,
      description: 'Its name.',
    },
    fields: restArg('The fields of its data, name:type.'),
    topic: { type: 'string', description: 'What receivers can switch it off with.' },
    ...common,
  },
  run: ({ args }) =>
    generate(args, async root => {
      const { planMail } = await import('./generate/mail')
      return planMail(root, { ...args, fields: args._.slice(1) })
    }),
})

const collection = defineCommand({
  meta: {
    name: 'collection',
    description: 'A collection over a table: fw generate collection note-list --table notes',
  },
  args: {
    name: { type: 'positional', required: true, description: 'Its name, which is its address.' },
    table: { type: 'string', required: true, description: 'A table of server/database.' },
    ...common,
  },
  run: ({ args }) =>
    generate(args, async root => {
      const { planCollection } = await import('./generate/pieces')
      return planCollection(root, args)
    }),
})

const page = defineCommand({
  meta: {
    name: 'page',
    description: 'A page with its entry in the navigation: fw generate page reports/yearly',
  },
  args: { path: { type: 'positional', required: true, description: 'Its path, as in app/pages.' }, ...common },
  run: ({ args }) =>
    generate(args, async root => {
      const { planPage } = await import('./generate/pieces')
      return planPage(root, args)
    }),
})

const role = defineCommand({
  meta: { name: 'role', description: 'App roles in fw.config.ts: fw generate role curator reader' },
  args: {
    name: { type: 'positional', required: true, description: 'The name of a role.' },
    names: restArg('Further roles.'),
    'dry-run': common['dry-run'],
  },
  run: ({ args }) =>
    generate(args, async root => {
      const { planRoles } = await import('./generate/roles')
      return planRoles(root, { names: args._ })
    }),
})

const provider = defineCommand({
  meta: {
    name: 'provider',
    description:
      'A provider whose accounts people connect: fw generate provider slack --authorize https://… --token https://…',
  },
  args: {
    name: { type: 'positional', required: true, description: 'Its name.' },
    authorize: { type: 'string', description: 'Where people agree.' },
    token: { type: 'string', description: 'Where codes become tokens.' },
    scopes: { type: 'string', description: 'The scopes to request, comma separated.' },
    ...common,
  },
  run: ({ args }) =>
    generate(args, async root => {
      const { planProvider } = await import('./generate/pieces')
      return planProvider(root, { ...args, scopes: listed(args.scopes) })
    }),
})

/** `fw generate`: writes files as an author would, and shows the changes that it would make to edited files. */
export const generateCommand = defineCommand({
  meta: {
    name: 'generate',
    description: 'Write files of your application: a resource, an action, a page, …',
  },
  subCommands: { resource, field, import: imports, action, job, mail, collection, page, role, provider },
})
