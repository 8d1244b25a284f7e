import { defineCommand } from 'citty'
import { faultLines, toAppError } from '../server/kernel/http/app-error'
import { placeOptions } from './operate'
import { RemoteFailure, runRemotely } from './remote-action'
import { endWith, isConfigError, say, tellFailure, UsageFault } from './terminal'

/** `fw action <name> …`: runs a declared action in this process, as the person who is signed in to the local database. */
export const actionCommand = defineCommand({
  meta: {
    name: 'action',
    description:
      'Run an action: fw action <name> --key value …. `fw action <name> --help` shows the keys, which are the fields of its input.',
  },
  // For help texts and completion. `parseOptions` reads them, because the keys of an action are known only when it is loaded.
  args: {
    name: { type: 'positional', required: false, description: 'The name of the action.' },
    list: { type: 'boolean', description: 'List the actions.' },
    json: { type: 'string', description: 'The whole input, as JSON.' },
    raw: { type: 'boolean', description: 'Print the result in one line.' },
    ...placeOptions,
    at: { type: 'string', description: 'The address of an application elsewhere; FW_TOKEN is your token there.' },
    token: { type: 'string', description: 'With --at: the token, instead of FW_TOKEN.' },
  },
  run: ({ rawArgs }) => endWith(() => runActionCommand(rawArgs), report),
})

async function runActionCommand(args: string[]): Promise<number> {
  const { positional, options, flags } = parseOptions(args)
  const [name] = positional
  if (options.at !== undefined && name !== undefined) {
    const { at, token = process.env.FW_TOKEN, entries, json } = options
    return print(await runRemotely({ at, token, name, entries, json }), flags)
  }
  const { describeAction, listActions, runLocally } = await import('./local-action')
  if (flags.has('list') || name === undefined) {
    await listActions()
    return flags.has('list') ? 0 : 2
  }
  if (!flags.has('help')) return print(await runLocally({ name, ...options }), flags)
  await describeAction(name)
  return 0
}

function print(result: unknown, flags: Set<string>): number {
  say(JSON.stringify(result, null, flags.has('raw') ? undefined : 2))
  return 0
}

function report(thrown: unknown): number {
  const isOurs = thrown instanceof Error && thrown.name === 'DeclarationError'
  if (isOurs || isConfigError(thrown)) return tellFailure(thrown, 2)
  if (thrown instanceof RemoteFailure || thrown instanceof UsageFault) return tellFailure(thrown)
  const error = toAppError(thrown)
  process.stderr.write(`${[`${error.message} (${error.code})`, ...faultLines(error.errors)].join('\n')}\n`)
  if (error.status >= 500 && error.cause) process.stderr.write(`${String(error.cause)}\n`)
  return 1
}

interface ParsedOptions {
  positional: string[]
  options: { entries: [string, string][]; json?: string; at?: string; token?: string; operator?: string }
  flags: Set<string>
}

const FLAGS = new Set(['list', 'help', 'raw'])

/** The command's own options; `--token` belongs to the command only with `--at`, `--operator` only in production. */
const OWN = ['json', 'at', 'token', 'operator'] as const

/**
 * Parses `--key value`, `--key=value` and a bare `--key` (true); `--list`, `--help`, `--raw`, `--json` and `--at` belong to the
 * command.
 */
function parseOptions(args: readonly string[]): ParsedOptions {
  const parsed: ParsedOptions = { positional: [], options: { entries: [] }, flags: new Set() }
  const waiting = [...args]
  const isRemote = args.some(argument => argument === '--at' || argument.startsWith('--at='))
  for (let argument = waiting.shift(); argument !== undefined; argument = waiting.shift()) {
    if (!argument.startsWith('--')) parsed.positional.push(argument)
    else if (FLAGS.has(argument.slice(2))) parsed.flags.add(argument.slice(2))
    else keepOption(parsed.options, argument.slice(2), waiting, isRemote)
  }
  return parsed
}

function keepOption(options: ParsedOptions['options'], option: string, waiting: string[], isRemote: boolean): void {
  const at = option.indexOf('=')
  const key = at === -1 ? option : option.slice(0, at)
  const value = at === -1 ? nextValue(waiting) : option.slice(at + 1)
  const isOwn = { json: true, at: true, token: isRemote, operator: process.env.NODE_ENV === 'production' }
  const ownOption = OWN.find(name => name === key && isOwn[name])
  if (ownOption) options[ownOption] = value
  else options.entries.push([key, value])
}

function nextValue(waiting: string[]): string {
  const [next] = waiting
  if (next === undefined || next.startsWith('--')) return 'true'
  waiting.shift()
  return next
}
