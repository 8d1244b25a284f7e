export interface ParsedOptions {
  positional: string[]
  options: { entries: [string, string][]; json?: string }
  flags: Set<string>
}

const FLAGS = new Set(['list', 'help', 'raw'])

/** Reads `--key value`, `--key=value` and a bare `--key` (true); `--list`, `--help` and `--raw` are the command's own. */
export function parseOptions(args: readonly string[]): ParsedOptions {
  const parsed: ParsedOptions = { positional: [], options: { entries: [] }, flags: new Set() }
  const waiting = [...args]
  for (let argument = waiting.shift(); argument !== undefined; argument = waiting.shift()) {
    if (!argument.startsWith('--')) parsed.positional.push(argument)
    else if (FLAGS.has(argument.slice(2))) parsed.flags.add(argument.slice(2))
    else keepOption(parsed.options, argument.slice(2), waiting)
  }
  return parsed
}

function keepOption(options: ParsedOptions['options'], option: string, waiting: string[]): void {
  const at = option.indexOf('=')
  const key = at === -1 ? option : option.slice(0, at)
  const value = at === -1 ? nextValue(waiting) : option.slice(at + 1)
  if (key === 'json') options.json = value
  else options.entries.push([key, value])
}

function nextValue(waiting: string[]): string {
  const [next] = waiting
  if (next === undefined || next.startsWith('--')) return 'true'
  waiting.shift()
  return next
}
