// Checks the arguments of `fw` against the declarations of its commands before a command runs. citty itself ignores unknown
// options.
import { parseArgs } from 'node:util'
import type { ArgDef, CommandDef, Resolvable } from 'citty'
import { suggestion } from '../shared/nearest-name'
import { UsageFault } from './terminal'

/** A command, the words that lead to it, and its own arguments. */
export interface Call {
  command: CommandDef
  path: string[]
  args: string[]
}

/** The declaration of a positional argument that takes all further words. The command reads them in `args._`. */
export const restArg = (description: string) =>
  ({ type: 'positional', required: false, description, isRest: true }) as const

/** The value of a part of a declaration that may be a promise or a function. */
export const resolved = <T>(part: Resolvable<T>): Promise<T> | T =>
  typeof part === 'function' ? (part as () => Promise<T> | T)() : part

/** The options and positional arguments of a command, by name. */
export const argumentsOf = async (command: CommandDef): Promise<[string, ArgDef][]> =>
  Object.entries((await resolved(command.args)) ?? {})

/** The visible and hidden commands below a command, by name. */
export const commandsBelow = async (command: CommandDef): Promise<Record<string, Resolvable<CommandDef>>> =>
  (await resolved(command.subCommands)) ?? {}

/**
 * Finds the command that the arguments name. Options before its name belong to it too. Throws a UsageFault for an unknown
 * command.
 */
export async function findCommand(program: CommandDef, args: readonly string[]): Promise<Call> {
  const call: Call = { command: program, path: [], args: [...args] }
  for (;;) {
    const below = await commandsBelow(call.command)
    const names = Object.keys(below)
    const word = tokensOf(call.args, await argumentsOf(call.command)).find(({ kind }) => kind === 'positional')
    if (names.length === 0 || word?.kind !== 'positional') return call
    const next = Object.hasOwn(below, word.value) ? below[word.value] : undefined
    if (next === undefined) {
      // The unknown word may be the value of a mistyped option.
      await checkOptions({ ...call, args: call.args.slice(0, word.index) })
      throw unknownCommand(call.path, word.value, names)
    }
    call.command = await resolved(next)
    call.path.push(word.value)
    call.args.splice(word.index, 1)
  }
}

function unknownCommand(path: readonly string[], word: string, names: readonly string[]): UsageFault {
  const whole = ['fw', ...path, word].join(' ')
  return new UsageFault(
    `There is no command \`${whole}\`.${suggestion(word, names)} ${['`fw help', ...path].join(' ')}\` lists the commands.`,
  )
}

/** Throws a UsageFault for an unknown option, a missing value, a missing argument or one too many. */
export async function checkArguments(call: Call): Promise<void> {
  const names = await checkOptions(call)
  const declared = await argumentsOf(call.command)
  const words = tokensOf(call.args, declared).flatMap(token => (token.kind === 'positional' ? token.value : []))
  const needed = declared.find(([name, { type, required }]) => type !== 'positional' && required && !names.has(name))
  if (needed) throw refused(call, `\`${nameOf(call)}\` needs --${needed[0]}.`)
  const places = declared.filter(([, { type }]) => type === 'positional')
  const missing = places.slice(words.length).find(([, { required }]) => required !== false)
  if (missing) throw refused(call, `\`${nameOf(call)}\` needs <${missing[0]}>.`)
  const [extra] = places.some(([, place]) => 'isRest' in place) ? [] : words.slice(places.length)
  if (extra !== undefined) throw refused(call, `Unexpected argument: ${extra}.`)
}

/** Throws a UsageFault for an unknown option or a missing value; returns the names of the options that are given. */
async function checkOptions(call: Call): Promise<Set<string>> {
  const declared = await argumentsOf(call.command)
  const names = new Set<string>()
  for (const token of tokensOf(call.args, declared)) {
    if (token.kind !== 'option') continue
    const option = declaredOption(token.name, declared)
    const { rawName } = token
    if (!option)
      throw refused(call, `\`${nameOf(call)}\` has no option ${rawName}.${suggestion(rawName, optionWords(declared))}`)
    if (option[1].type !== 'boolean' && token.value === undefined) throw refused(call, `${rawName} needs a value.`)
    names.add(option[0])
  }
  return names
}

const nameOf = ({ path }: Call): string => ['fw', ...path].join(' ')

const refused = ({ path }: Call, sentence: string): UsageFault =>
  new UsageFault(`${sentence} Run \`${['fw help', ...path].join(' ')}\`.`)

/** The words that people type for the options: `--yes`, and `--no-install` for what is on by default. */
const optionWords = (declared: readonly [string, ArgDef][]): string[] =>
  declared.flatMap(([name, { type, default: value }]) => {
    if (type === 'positional') return []
    return type === 'boolean' && value === true ? [`--no-${name}`] : [`--${name}`]
  })

/** The option of a name as typed: `--dryRun` is `--dry-run`, and `--no-install` turns `--install` off. */
function declaredOption(typed: string, declared: readonly [string, ArgDef][]): [string, ArgDef] | undefined {
  const kebab = typed.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)
  const find = (name: string) => declared.find(([each, { type }]) => each === name && type !== 'positional')
  const denied = kebab.startsWith('no-') ? find(kebab.slice(3)) : undefined
  return find(kebab) ?? (denied?.[1].type === 'boolean' ? denied : undefined)
}

function tokensOf(args: readonly string[], declared: readonly [string, ArgDef][]) {
  const options = declared.flatMap(([name, { type }]) =>
    type === 'positional' ? [] : [[name, { type: type === 'boolean' ? 'boolean' : 'string' } as const] as const],
  )
  const config = { args: [...args], options: Object.fromEntries(options), strict: false, allowPositionals: true }
  return parseArgs({ ...config, tokens: true }).tokens
}
