import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type CommandDef, defineCommand, renderUsage, runCommand } from 'citty'
import { platformDir } from '../modules/registry/roots'
import { VERSION } from '../shared/package'
import { endWith, say, tellFailure, UsageFault } from './terminal'
import { type Call, checkArguments, commandsBelow, findCommand, resolved, restArg } from './usage'

// A help text loads the declarations of all commands, so each of them loads its work only when it runs.

/** The command `fw` with all of its subcommands. */
export const commandLine = (): CommandDef =>
  defineCommand({
    meta: { name: 'fw', description: 'The command line of this application.' },
    subCommands: {
      action: () => import('./action-command').then(module => module.actionCommand),
      add: () => import('./project-commands').then(module => module.addCommand),
      adopt: () => import('./adopt-command').then(module => module.adoptCommand),
      audit: () => import('./operator-commands').then(module => module.auditCommand),
      backup: () => import('./backup-command').then(module => module.backupCommand),
      builder: () => import('./builder-command').then(module => module.builderCommand),
      completion: () => import('./completion-command').then(module => module.completionCommand(commandLine)),
      connect: () => import('./connect-command').then(module => module.connectCommand),
      desktop: () => import('./desktop-command').then(module => module.desktopCommand),
      doctor: () => import('./doctor-command').then(module => module.doctorCommand),
      export: () => import('./export-command').then(module => module.exportCommand),
      generate: () => import('./generate-command').then(module => module.generateCommand),
      help: helpCommand,
      hosts: () => import('./hosts-command').then(module => module.hostsCommand),
      hub: () => import('./hub-command').then(module => module.hubCommand),
      jobs: () => import('./jobs-command').then(module => module.jobsCommand),
      login: () => import('./login-command').then(module => module.loginCommand),
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

/** Runs the command line with these arguments. The exit code is 2 for wrong usage, 1 for a failure and 0 for success. */
export async function run(rawArgs: string[]): Promise<void> {
  if (rawArgs.length === 1 && ['--version', '-v'].includes(rawArgs[0] ?? '')) return say(VERSION)
  try {
    await runCall(await findCommand(commandLine(), rawArgs))
  } catch (error) {
    if (!(error instanceof UsageFault)) console.error(error)
    process.exitCode = error instanceof UsageFault ? tellFailure(error) : 1
  }
}

async function runCall(call: Call): Promise<void> {
  const { command, path, args } = call
  const isHelp = args.some(argument => argument === '--help' || argument === '-h')
  // The options of `fw action <name>` are the fields of the action's input, and its help text describes the action.
  if (path[0] === 'action' && !(isHelp && args.length === 1)) return void (await runCommand(command, { rawArgs: args }))
  if (isHelp) return showHelp(call)
  if (!command.run && !command.default) {
    await checkArguments(call)
    await showHelp(call)
    throw new UsageFault(`Name a command behind \`${['fw', ...path].join(' ')}\`.`)
  }
  const standard = typeof command.default === 'string' ? (await commandsBelow(command))[command.default] : undefined
  const actual = standard ? await resolved(standard) : command
  await checkArguments({ ...call, command: actual })
  await runCommand(actual, { rawArgs: args })
}

async function showHelp({ command, path }: Call): Promise<void> {
  const parent = { meta: { name: ['fw', ...path.slice(0, -1)].join(' ') } }
  say(`${await renderUsage(command, path.length > 0 ? parent : undefined)}\n`)
}

const helpCommand = defineCommand({
  meta: { name: 'help', description: 'Show the help text of a command: fw help generate resource' },
  args: { command: restArg('The words of the command; without them, all commands.') },
  run: ({ args }) => endWith(() => helpFor(args._)),
})

async function helpFor(words: readonly string[]): Promise<number> {
  const call = await findCommand(commandLine(), words)
  if (call.path[0] === 'action' && call.args.length > 0)
    await runCommand(call.command, { rawArgs: [...call.args, '--help'] })
  else if (call.args.length > 0) throw new UsageFault(`There is no command \`fw ${words.join(' ')}\`.`)
  else await showHelp(call)
  return Number(process.exitCode ?? 0)
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
