/** One thing that a reader of a tutorial does or sees, in the order of the text. */
export type Step =
  | { kind: 'commands'; lines: string[] }
  | { kind: 'output'; lines: string[] }
  | { kind: 'file'; path: string; text: string }
  | { kind: 'change'; path: string; before: string; after: string }
  | { kind: 'open'; url: string; isPrivate: boolean }
  | { kind: 'press' | 'tick' | 'see' | 'miss'; name: string }
  | { kind: 'type'; text: string; into: string }
  | { kind: 'choose'; path: string }
  | { kind: 'host-asks' | 'interrupt' }
  | { kind: 'tool'; name: string; input: string }

/** The supported sentences in a numbered step. Any other sentence is an error in the tutorial. */
const SENTENCES: [RegExp, (...found: string[]) => Step][] = [
  [/^Open `([^`]+)` in a private window\.\s*/, url => ({ kind: 'open', url: url ?? '', isPrivate: true })],
  [/^Open `([^`]+)`\.\s*/, url => ({ kind: 'open', url: url ?? '', isPrivate: false })],
  [/^Press \*\*([^*]+)\*\*\.\s*/, name => ({ kind: 'press', name: name ?? '' })],
  [/^Tick \*\*([^*]+)\*\*\.\s*/, name => ({ kind: 'tick', name: name ?? '' })],
  [/^You see \*\*([^*]+)\*\*\.?\s*/, name => ({ kind: 'see', name: name ?? '' })],
  [/^You no longer see \*\*([^*]+)\*\*\.\s*/, name => ({ kind: 'miss', name: name ?? '' })],
  [/^Type `([^`]+)` into \*\*([^*]+)\*\*\.\s*/, (text, into) => ({ kind: 'type', text: text ?? '', into: into ?? '' })],
  [/^Choose `([^`]+)`\.\s*/, path => ({ kind: 'choose', path: path ?? '' })],
  [/^Claude Code opens the browser\.\s*/, () => ({ kind: 'host-asks' })],
  [
    /^Claude Code calls `([^`]+)` with `([^`]+)`\.\s*/,
    (name, input) => ({ kind: 'tool', name: name ?? '', input: input ?? '' }),
  ],
  [/^Press Ctrl\+C in the first terminal\.\s*/, () => ({ kind: 'interrupt' })],
]

function sentencesOf(item: string): Step[] {
  const steps: Step[] = []
  for (let rest = item; rest !== '';) {
    const found = SENTENCES.map(([pattern, toStep]) => ({ match: pattern.exec(rest), toStep })).find(
      ({ match }) => match,
    )
    if (!found?.match) throw new Error(`The tutorial says something that its test does not understand: ${rest}`)
    const [all, ...parts] = found.match
    steps.push(found.toStep(...parts))
    rest = rest.slice(all.length)
  }
  return steps
}

const MARK = /\s*\/\/ \[!code (\+\+|--)\]$|\s*<!-- \[!code (\+\+|--)\] -->$/

/** A code block: commands, their output, a whole file, or changed lines of a file with context. */
function blockOf(info: string, lines: string[]): Step[] {
  const [, language = '', path] = /^(\w+)(?: \[(.+)\])?$/.exec(info) ?? []
  if (language === 'sh') return [{ kind: 'commands', lines }]
  if (language === 'text') return [{ kind: 'output', lines }]
  if (!path) throw new Error(`A block of the tutorial (${info}) names no file.`)
  if (!lines.some(line => MARK.test(line))) return [{ kind: 'file', path, text: `${lines.join('\n')}\n` }]
  const side = (other: string) =>
    lines
      .filter(line => !MARK.exec(line)?.slice(1).includes(other))
      .map(line => line.replace(MARK, ''))
      .join('\n')
  return [{ kind: 'change', path, before: side('++'), after: side('--') }]
}

/** The steps of a tutorial, by section (`## …`). */
export function stepsOf(markdown: string): Map<string, Step[]> {
  const sections = new Map<string, Step[]>()
  let title = ''
  const add = (steps: Step[]) => sections.set(title, [...(sections.get(title) ?? []), ...steps])
  const lines = markdown.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (line.startsWith('```')) {
      const end = lines.indexOf('```', at + 1)
      add(blockOf(line.slice(3), lines.slice(at + 1, end)))
      at = end
    } else if (line.startsWith('## ')) title = line.slice(3)
    else if (/^\d+\. /.test(line)) add(sentencesOf(line.replace(/^\d+\. /, '')))
  }
  return sections
}
