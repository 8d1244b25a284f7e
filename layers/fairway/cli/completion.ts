// Writes the scripts with which shells complete `fw`, from the declarations of its commands.
import type { CommandDef } from 'citty'
import { argumentsOf, commandsBelow, resolved } from './usage'

interface Word {
  word: string
  description: string
  takesValue: boolean
}

/** What can follow a command: its commands and its options. */
interface Place {
  /** The words of the command, without `fw`. */
  path: string
  commands: Word[]
  options: Word[]
}

const HELP: Word = { word: '--help', description: 'Show the help text.', takesValue: false }

/** Returns the script for a shell, which completes commands, options and the names of actions. */
export async function completionScript(shell: 'bash' | 'fish' | 'zsh', program: CommandDef): Promise<string> {
  const places = await placesBelow(program, [])
  return { bash: bashScript, fish: fishScript, zsh: zshScript }[shell](places)
}

async function placesBelow(command: CommandDef, path: readonly string[]): Promise<Place[]> {
  const commands: Word[] = []
  const below: Place[] = []
  for (const [name, each] of Object.entries(await commandsBelow(command))) {
    const sub = await resolved(each)
    const { description = '', hidden } = (await resolved(sub.meta)) ?? {}
    if (hidden) continue
    commands.push({ word: name, description, takesValue: false })
    below.push(...(await placesBelow(sub, [...path, name])))
  }
  return [{ path: path.join(' '), commands, options: [...(await optionsOf(command)), HELP] }, ...below]
}

async function optionsOf(command: CommandDef): Promise<Word[]> {
  return (await argumentsOf(command)).flatMap(([name, arg]): Word[] => {
    const { type, description = '', default: value } = arg
    if (type === 'positional') return []
    if (type !== 'boolean' || value !== true)
      return [{ word: `--${name}`, description, takesValue: type !== 'boolean' }]
    return [{ word: `--no-${name}`, description: arg.negativeDescription ?? description, takesValue: false }]
  })
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** The patterns of a `case` that recognize each command by its words, joined with spaces. */
const pathPattern = (places: readonly Place[]): string =>
  places.flatMap(({ path }) => (path === '' ? [] : quoted(` ${path}`))).join('|')

const ACTIONS = 'completion actions 2>/dev/null'

function bashScript(places: readonly Place[]): string {
  const cases = places.map(({ path, commands, options }) => {
    const words = [...commands, ...options].map(({ word }) => word).join(' ')
    const names = path === 'action' ? ` $("\${COMP_WORDS[0]}" ${ACTIONS})` : ''
    return `    ${quoted(path && ` ${path}`)}) words="${words}${names}" ;;`
  })
  return `_fw() {
  local word=\${COMP_WORDS[COMP_CWORD]} path= words= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$path \${COMP_WORDS[i]}" in
      ${pathPattern(places)}) path="$path \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$path" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _fw fw nuxt-fairway`
}

function zshScript(places: readonly Place[]): string {
  const listed = (words: readonly Word[]) =>
    words.map(({ word, description }) => quoted(`${word}:${description.replaceAll(':', String.raw`\:`)}`)).join(' ')
  const cases = places.map(({ path, commands, options }) => {
    const names = path === 'action' ? ` \${(f)"$($words[1] ${ACTIONS})"}` : ''
    return `    ${quoted(path && ` ${path}`)}) commands=(${listed(commands)}${names}); options=(${listed(options)}) ;;`
  })
  return `#compdef fw nuxt-fairway
_fw() {
  local place= i
  local -a commands options
  for ((i = 2; i < CURRENT; i++)); do
    case "$place $words[i]" in
      ${pathPattern(places)}) place="$place $words[i]" ;;
    esac
  done
  case "$place" in
${cases.join('\n')}
  esac
  if [[ $words[CURRENT] == -* ]]; then _describe -o option options
  elif (( $#commands )); then _describe command commands
  else _files; fi
}
compdef _fw fw nuxt-fairway`
}

function fishScript(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, commands, options }) => {
    const here = `complete -c fw -n ${quoted(`test (__fw_place) = ${quoted(path)}`)}`
    return [
      ...commands.map(({ word, description }) => `${here} -f -a ${quoted(word)} -d ${quoted(description)}`),
      ...options.map(
        ({ word, description, takesValue }) =>
          `${here} -l ${word.slice(2)}${takesValue ? ' -r' : ''} -d ${quoted(description)}`,
      ),
    ]
  })
  return `function __fw_place
  set -l place
  for word in (commandline -opc)[2..]
    switch (string trim "$place $word")
      case ${places.flatMap(({ path }) => (path === '' ? [] : quoted(path))).join(' ')}
        set place (string trim "$place $word")
    end
  end
  echo "$place"
end
${lines.join('\n')}
complete -c fw -n "test (__fw_place) = action" -f -a "(fw ${ACTIONS})"
complete -c nuxt-fairway -w fw`
}
