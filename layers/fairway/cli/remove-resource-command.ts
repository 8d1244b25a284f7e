import { defineCommand } from 'citty'
import type { RemovalPlan } from './generate/resource-removal'
import { inApplication } from './project/in-application'
import { say, sayNext } from './terminal'

/** `fw remove resource`: deletes the files that `fw generate resource` wrote, and writes the migration that drops the table. */
export const removeResourceCommand = defineCommand({
  meta: {
    name: 'resource',
    description:
      'Delete the files of a resource, and write the migration that drops its table: fw remove resource deal',
  },
  args: {
    name: { type: 'positional', required: true, description: 'The resource in the singular.' },
    plural: { type: 'string', description: 'Its plural, where it is not the English one.' },
    force: { type: 'boolean', default: false, description: 'Also delete files that you have changed.' },
    'dry-run': { type: 'boolean', default: false, description: 'Show what would be deleted; change nothing.' },
  },
  run: ({ args }) =>
    inApplication(async root => {
      const { planRemoval } = await import('./generate/resource-removal')
      return carryOut(root, await planRemoval(root, args), args['dry-run'])
    }),
})

async function carryOut(
  root: string,
  { changes, kept: leftover, remarks }: RemovalPlan,
  isDry: boolean,
): Promise<number> {
  const { showChanges, writeChanges } = await import('./project/changes')
  if (isDry) showChanges(changes.filter(({ path }) => path.endsWith('.sql')))
  else writeChanges(root, changes)
  for (const { path, before, after } of changes)
    say(`  ${after === undefined ? 'deleted' : before === undefined ? 'new    ' : 'changed'}  ${path}`)
  for (const { path, why } of leftover) say(`  stays    ${path} (${why})`)
  if (leftover.length > 0) say('`--force` deletes these files too.')
  for (const remark of remarks) say(remark)
  if (isDry) say('Nothing was changed. Without `--dry-run`, it is.')
  else if (changes.length > 0) sayNext(['run your tests: npx vitest run', 'start the server, which runs the migration'])
  return leftover.length > 0 ? 1 : 0
}
