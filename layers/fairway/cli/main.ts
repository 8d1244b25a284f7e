import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { defineCommand, runCommand, runMain } from 'citty'
import { platformDir } from '../modules/registry/roots'

// A help text loads the declarations of all commands, so each of them loads its work only when it runs.
const action = () => import('./action-command').then(module => module.actionCommand)

/** The command `fw` with all of its subcommands. */
export const commandLine = () =>
  defineCommand({
    meta: { name: 'fw', description: 'The command line of this application.' },
    subCommands: {
      action,
      add: () => import('./project-commands').then(module => module.addCommand),
      audit: () => import('./operator-commands').then(module => module.auditCommand),
      backup: () => import('./backup-command').then(module => module.backupCommand),
      builder: () => import('./builder-command').then(module => module.builderCommand),
      connect: () => import('./connect-command').then(module => module.connectCommand),
      desktop: () => import('./desktop-command').then(module => module.desktopCommand),
      doctor: () => import('./doctor-command').then(module => module.doctorCommand),
      generate: () => import('./generate-command').then(module => module.generateCommand),
      hub: () => import('./hub-command').then(module => module.hubCommand),
      jobs: () => import('./jobs-command').then(module => module.jobsCommand),
      mcp: () => import('./mcp-command').then(module => module.mcpCommand),
      new: () => import('./project-commands').then(module => module.newCommand),
      org: () => import('./org-command').then(module => module.orgCommand),
      people: () => import('./people-command').then(module => module.peopleCommand),
      remove: removeCommand,
      restore: () => import('./backup-command').then(module => module.restoreCommand),
      secrets: () => import('./operator-commands').then(module => module.secretsCommand),
      start: startCommand,
      types: () => import('./types-command').then(module => module.typesCommand),
      upgrade: () => import('./project-commands').then(module => module.upgradeCommand),
      webhooks: () => import('./operator-commands').then(module => module.webhooksCommand),
    },
  })

/** Runs the command line with these arguments. */
export async function run(rawArgs: string[]): Promise<void> {
  const [command, ...rest] = rawArgs
  // `fw action <name> --help` describes the action, so the general help must not handle it.
  if (command === 'action') await runCommand(await action(), { rawArgs: rest })
  else await runMain(commandLine(), { rawArgs })
}

const SERVER = '.output/server/index.mjs'

/**
 * `fw start`: this process becomes the built server, so that signals and the exit code are the server's; exits with 1 when there
 * is no build.
 */
export const startCommand = defineCommand({
  meta: { name: 'start', description: 'Start the built server, as production unless NODE_ENV says otherwise.' },
  async run() {
    const server = resolve(SERVER)
    if (!existsSync(server)) {
      process.stderr.write('There is no build yet. Run `npm run build` first.\n')
      process.exitCode = 1
      return
    }
    process.env.NODE_ENV ||= 'production'
    await import(pathToFileURL(server).href)
  },
})

const repository = join(platformDir, '../..')
const PROGRAM = join(repository, 'scripts/remove-sample.mjs')

const sampleCommand = defineCommand({
  meta: {
    name: 'sample',
    description: 'In the repository of the platform: take the sample application out of the root.',
  },
  args: {
    'dry-run': { type: 'boolean', description: 'Say what would move, change and go; change nothing.', default: false },
    force: { type: 'boolean', description: 'Also with changes that are not committed.', default: false },
  },
  run({ args }) {
    // Only the repository has a sample, and the code that removes it is not in the package.
    if (process.cwd() !== repository || !existsSync(PROGRAM)) {
      process.stderr.write(
        'There is no sample here. `fw remove sample` is for the repository of the platform, whose root holds one; what an application was started with is a part of it, and goes by deleting its files.\n',
      )
      process.exitCode = 1
      return
    }
    const options = [...(args['dry-run'] ? ['--dry-run'] : []), ...(args.force ? ['--force'] : [])]
    process.exitCode = spawnSync(process.execPath, [PROGRAM, ...options], { stdio: 'inherit' }).status ?? 1
  },
})

/** `fw remove`: removes a resource from an application, or the sample from the repository of the platform. */
const removeCommand = defineCommand({
  meta: { name: 'remove', description: 'Take out a resource, or the sample.' },
  subCommands: {
    resource: () => import('./remove-resource-command').then(module => module.removeResourceCommand),
    sample: sampleCommand,
  },
})
