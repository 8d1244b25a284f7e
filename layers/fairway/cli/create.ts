// The two commands of the package create-nuxt-fairway (scripts/compile-create.mjs), for folders without the platform.
import { defineCommand, renderUsage, runCommand } from 'citty'
import { VERSION } from '../shared/package'
import { addCommand, newCommand } from './project-commands'
import { say, tellFailure, UsageFault } from './terminal'
import { checkArguments, findCommand } from './usage'

const createCommand = defineCommand({
  meta: { name: 'create-nuxt-fairway', description: 'Create a Fairway application, or add Fairway to one of Nuxt 4.' },
  subCommands: { new: newCommand, add: addCommand },
})

/** Runs `add`, or `new` with or without its name. The exit code is 2 for wrong usage, 1 for a failure and 0 for success. */
export async function create(rawArgs: string[]): Promise<void> {
  if (rawArgs.length === 1 && ['--version', '-v'].includes(rawArgs[0] ?? '')) return say(VERSION)
  const isNamed = ['add', 'new', '--help', '-h'].includes(rawArgs[0] ?? '')
  try {
    const call = await findCommand(createCommand, isNamed ? rawArgs : ['new', ...rawArgs])
    if (call.args.some(argument => argument === '--help' || argument === '-h'))
      return say(await renderUsage(call.command))
    await checkArguments(call)
    await runCommand(call.command, { rawArgs: call.args })
  } catch (error) {
    if (!(error instanceof UsageFault)) console.error(error)
    process.exitCode = error instanceof UsageFault ? tellFailure(error) : 1
  }
}
