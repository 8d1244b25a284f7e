// The commands that write the files of a whole project: `fw new`, `fw add` and `fw upgrade`.
import { defineCommand } from 'citty'
import { SAMPLES } from './names'
import { endWith } from './terminal'

const packageArg = {
  type: 'string',
  description: 'The platform: a version, a file or a folder. Otherwise the one that runs.',
} as const

/** `fw new <folder>`: creates a project in a folder below the current one. */
export const newCommand = defineCommand({
  meta: { name: 'new', description: 'Make a new project: fw new my-app' },
  args: {
    folder: { type: 'positional', required: false, description: 'The folder, and the name of the project.' },
    sample: { type: 'string', description: `What to begin with: ${Object.keys(SAMPLES).join(' or ')}.` },
    title: { type: 'string', description: 'The name that people see; otherwise it comes from the folder.' },
    package: packageArg,
    install: {
      type: 'boolean',
      default: true,
      description: 'Install the packages.',
      negativeDescription: 'Write the files only.',
    },
    git: {
      type: 'boolean',
      default: true,
      description: 'Begin a git repository.',
      negativeDescription: 'Do not create a Git repository.',
    },
    'dry-run': { type: 'boolean', default: false, description: 'Show what would be written, and write nothing.' },
  },
  run: ({ args }) => endWith(async () => (await import('./project/new-project')).newProject(args)),
})

/** `fw add`: makes a Nuxt 4 application extend the platform, after the person has seen the changes. */
export const addCommand = defineCommand({
  meta: { name: 'add', description: 'Add the platform to an existing Nuxt 4 application: fw add [folder]' },
  args: {
    folder: { type: 'positional', required: false, description: 'The application; otherwise the folder you are in.' },
    package: packageArg,
    install: {
      type: 'boolean',
      default: true,
      description: 'Install the packages.',
      negativeDescription: 'Change the files only.',
    },
    yes: { type: 'boolean', default: false, description: 'Do not ask.' },
    'dry-run': { type: 'boolean', default: false, description: 'Show what would change, and change nothing.' },
  },
  run: ({ args }) => endWith(async () => (await import('./project/add-platform')).addPlatform(args)),
})

/** `fw upgrade`: shows the changelog and the changes of the next version, then installs it. */
export const upgradeCommand = defineCommand({
  meta: { name: 'upgrade', description: 'Go to the next version of the platform: fw upgrade [--to <version or file>]' },
  args: {
    to: { type: 'string', description: 'A version, or the file of a package; otherwise the newest that npm has.' },
    force: {
      type: 'boolean',
      default: false,
      description: 'Also over changes that are not committed, and to an older version.',
    },
    'dry-run': { type: 'boolean', default: false, description: 'Show what would change, and change nothing.' },
  },
  run: ({ args }) => endWith(async () => (await import('./project/upgrade/upgrade')).upgrade(args)),
})
