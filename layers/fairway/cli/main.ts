import { defineCommand, runCommand, runMain } from 'citty'

// Each is loaded when it is asked for: an action brings the whole server with it.
const action = () => import('./action-command').then(module => module.actionCommand)
const add = () => import('./add-command').then(module => module.addCommand)
const audit = () => import('./audit-command').then(module => module.auditCommand)
const builder = () => import('./builder-command').then(module => module.builderCommand)
const connect = () => import('./connect-command').then(module => module.connectCommand)
const hub = () => import('./hub-command').then(module => module.hubCommand)
const desktop = () => import('./desktop-command').then(module => module.desktopCommand)
const create = () => import('./new-command').then(module => module.newCommand)
const mcp = () => import('./mcp-command').then(module => module.mcpCommand)
const remove = () => import('./remove-command').then(module => module.removeCommand)
const secrets = () => import('./secrets-command').then(module => module.secretsCommand)
const start = (importPlainly: ImportPlainly) => () =>
  import('./start-command').then(module => module.startCommand(importPlainly))
const upgrade = () => import('./upgrade-command').then(module => module.upgradeCommand)

type ImportPlainly = (url: string) => Promise<unknown>

const main = (importPlainly: ImportPlainly) =>
  defineCommand({
    meta: { name: 'fw', description: 'The command line of this application.' },
    subCommands: {
      action,
      add,
      audit,
      builder,
      connect,
      desktop,
      hub,
      mcp,
      new: create,
      remove,
      secrets,
      start: start(importPlainly),
      upgrade,
    },
  })

/** Runs the command line with these arguments. What is JavaScript already comes by `importPlainly`, as Node itself loads it. */
export async function run(rawArgs: string[], importPlainly: ImportPlainly): Promise<void> {
  const [command, ...rest] = rawArgs
  // `fw action <name> --help` describes the action, not the command, so it is not left to the general help.
  if (command === 'action') await runCommand(await action(), { rawArgs: rest })
  else await runMain(main(importPlainly), { rawArgs })
}
