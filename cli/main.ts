import { defineCommand, runCommand, runMain } from 'citty'
import { actionCommand } from './action-command'

const main = defineCommand({
  meta: { name: 'fw', description: 'The command line of this application.' },
  subCommands: { action: actionCommand },
})

/** Runs the command line with these arguments. */
export async function run(rawArgs: string[]): Promise<void> {
  const [command, ...rest] = rawArgs
  // `fw action <name> --help` describes the action, not the command, so it is not left to the general help.
  if (command === 'action') await runCommand(actionCommand, { rawArgs: rest })
  else await runMain(main, { rawArgs })
}
