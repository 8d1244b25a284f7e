import { defineCommand } from 'citty'
import fwConfig from '#fw/config'
import { coerceInput, inputJsonSchema, isOffered, runAction } from '../server/domains/actions'
import { newId } from '../server/kernel/crypto/random'
import { AppError, toAppError } from '../server/kernel/http/app-error'
import { actionFiles } from '../modules/registry/catalogs'
import { type LoadedAction, loadActions } from '../modules/registry/declarations'
import { DeclarationError } from '../modules/registry/load-declarations'
import { builderConfig } from '../server/kernel/config/config'
import { readEnv } from '../server/kernel/config/env'
import { isConfigError, localSession, openLocalApp, operatorSession } from './local-app'
import { RemoteFailure, runRemotely } from './remote-action'
import { endWith, faultLines, say, tellFailure, UsageFault } from './terminal'

// `fw.mjs` changes to the application's folder first.
const root = process.cwd()

/** `fw action <name> …`: runs a declared action in this process, as the person who is signed in to the local database. */
export const actionCommand = defineCommand({
  meta: {
    name: 'action',
    description:
      'Run an action: fw action <name> --key value … | --json {…} | --list | --help; --at https://… with FW_TOKEN for an application elsewhere',
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
  const actions = await loadActions(root, actionFiles(root))
  if (flags.has('list') || name === undefined) return list(actions, flags.has('list'))
  const found = actions.find(action => action.name === name)
  if (!found) throw new UsageFault(`There is no action ${name}. \`fw action --list\` shows them all.`)
  if (flags.has('help')) return describe(found)
  const input = options.json === undefined ? coerceInput(found.action, options.entries) : readJson(options.json)
  return print(await runLocally(found, input, options.operator), flags)
}

function print(result: unknown, flags: Set<string>): number {
  say(JSON.stringify(result, null, flags.has('raw') ? undefined : 2))
  return 0
}

async function runLocally(
  { name, action }: LoadedAction,
  input: unknown,
  operator: string | undefined,
): Promise<unknown> {
  const app = await openLocalApp(root)
  try {
    const isAnybody = action.public && !app.config.localIdentity.enabled
    const session = isAnybody ? null : ((await operatorSession(app, operator)) ?? (await localSession(app)))
    if (session) process.stderr.write(`Acting as ${session.email}.\n`)
    return await runAction(app, { name, action, input, session, caller: 'cli', requestId: newId() })
  } finally {
    await app.db.close()
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new AppError('malformed-json')
  }
}

function list(all: LoadedAction[], wasAsked: boolean): number {
  const config = { builder: builderConfig(readEnv(process.env), fwConfig) }
  const actions = all.filter(({ action }) => isOffered(action, config))
  const width = Math.max(...actions.map(action => action.name.length))
  for (const { name, action } of actions) say(`${name.padEnd(width)}  ${action.description}`)
  return wasAsked ? 0 : 2
}

function describe({ name, action }: LoadedAction): number {
  const schema = inputJsonSchema(action)
  say(`fw action ${name}: ${action.description}`)
  for (const [option, property] of Object.entries(schema.properties ?? {})) {
    const { type, description } = typeof property === 'object' ? property : {}
    const need = schema.required?.includes(option) ? '' : ' (optional)'
    say(`  --${option} <${String(type ?? 'value')}>${need}  ${description ?? ''}`)
  }
  return 0
}

function report(thrown: unknown): number {
  if (thrown instanceof DeclarationError || isConfigError(thrown)) return tellFailure(thrown, 2)
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
  const own = OWN.find(name => name === key && isOwn[name])
  if (own) options[own] = value
  else options.entries.push([key, value])
}

function nextValue(waiting: string[]): string {
  const [next] = waiting
  if (next === undefined || next.startsWith('--')) return 'true'
  waiting.shift()
  return next
}
