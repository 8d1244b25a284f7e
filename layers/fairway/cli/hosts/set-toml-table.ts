/**
 * The text of a TOML file with `key = "value"` set in one table (`[mcp_servers.fairway]`); every other line stays as it is.
 * Throws a SyntaxError for a file whose tables cannot be told apart safely.
 */
export function setTomlTable(
  text: string,
  path: readonly [string, string],
  values: Readonly<Record<string, string>>,
): string {
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const lines = readLines(text)
  checkForm(lines, path)
  const start = lines.findIndex(line => isSame(line.table, path))
  const pairs = Object.entries(values).map(([key, value]) => [key, `${key} = ${quoted(value)}${newline}`] as const)
  if (start === -1) {
    const gap = text === '' ? '' : text.endsWith('\n') ? newline : newline.repeat(2)
    return `${text}${gap}[${path.map(bareOrQuoted).join('.')}]${newline}${pairs.map(([, line]) => line).join('')}`
  }
  const next = lines.findIndex((line, index) => index > start && line.table !== undefined)
  const end = next === -1 ? lines.length : next
  const body = lines.slice(start + 1, end)
  // A command and an address are two kinds of server: of the other kind nothing stays.
  const kept = body.some(line => line.key === 'command') ? body.filter(line => line.key === undefined) : body
  const waiting = new Map(pairs)
  const changed = kept.map(line => {
    const wanted = line.key === undefined ? undefined : waiting.get(line.key)
    if (wanted === undefined || line.key === undefined) return line.text
    waiting.delete(line.key)
    return valueOf(line.text) === valueOf(wanted) ? line.text : wanted
  })
  const head = lines.slice(0, start + 1).map(line => line.text)
  if (!head.at(-1)?.endsWith('\n')) head.push(newline)
  return [...head, ...waiting.values(), ...changed, ...lines.slice(end).map(line => line.text)].join('')
}

interface Line {
  text: string
  /** The path of a table header. */
  table?: string[]
  /** The first key of an assignment. */
  key?: string
}

const HEADER = /^\s*\[([^[\]]+)\]\s*(?:#[^\n]*)?\s*$/
const ARRAY_HEADER = /^\s*\[\[(.+)\]\]\s*(?:#[^\n]*)?\s*$/
const ASSIGNMENT = /^\s*((?:"[^"\n]*"|'[^'\n]*'|[\w-]+)(?:\s*\.\s*(?:"[^"\n]*"|'[^'\n]*'|[\w-]+))*)\s*=\s*(.*)$/s

/** Each line, or each assignment where it goes over several lines. */
function readLines(text: string): Line[] {
  const raw = text.match(/[^\n]*\n|[^\n]+$/g) ?? []
  const total = raw.length
  const lines: Line[] = []
  for (let line = raw.shift(); line !== undefined; line = raw.shift()) {
    const number = total - raw.length
    const table = HEADER.exec(line)?.[1] ?? ARRAY_HEADER.exec(line)?.[1]
    const [, keys, value] = ASSIGNMENT.exec(line) ?? []
    if (table !== undefined) lines.push({ text: line, table: toPath(table, number) })
    else if (keys !== undefined && value !== undefined)
      lines.push({ text: line + restOf(value, raw, number), key: toPath(keys, number).join('.') })
    else if (/^\s*(#|$)/.test(line)) lines.push({ text: line })
    else throw new SyntaxError(`line ${number}`)
  }
  return lines
}

/** The further lines of a value that does not end in its first. */
function restOf(value: string, raw: string[], number: number): string {
  let more = ''
  while (isOpen(value + more)) {
    const line = raw.shift()
    if (line === undefined) throw new SyntaxError(`line ${number}: the value does not end`)
    more += line
  }
  return more
}

function toPath(keys: string, line: number): string[] {
  const parts = keys.match(/"[^"]*"|'[^']*'|[\w-]+/g)
  if (!parts || parts.join('.') !== keys.replaceAll(/\s/g, '')) throw new SyntaxError(`line ${line}`)
  return parts.map(part => part.replaceAll(/^["']|["']$/g, ''))
}

/** Whether a value goes on in the next line: an open string of several lines, or an open list. */
function isOpen(value: string): boolean {
  let depth = 0
  let at = 0
  while (at < value.length) {
    const rest = value.slice(at)
    const long = /^("""|''')/.exec(rest)?.[1]
    if (long) {
      const end = rest.indexOf(long, 3)
      if (end === -1) return true
      at += end + 3
      continue
    }
    const text = /^(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*)/.exec(rest)?.[0]
    if (text) at += text.length
    else {
      if ('[{'.includes(rest.charAt(0))) depth++
      if (']}'.includes(rest.charAt(0))) depth--
      at++
    }
  }
  return depth > 0
}

const isSame = (table: readonly string[] | undefined, path: readonly string[]): boolean =>
  table?.join('\0') === path.join('\0')

/** The server may be there in a form that this function does not edit: as a dotted key or an inline table. */
function checkForm(lines: readonly Line[], [section, name]: readonly [string, string]): void {
  const tables = lines.map(line => line.table)
  if (tables.filter(table => isSame(table, [section, name])).length > 1)
    throw new SyntaxError(`[${section}.${name}] is there twice`)
  const first = tables.findIndex(table => table !== undefined)
  const root = lines.slice(0, first === -1 ? lines.length : first)
  const inside = lines.filter((line, index) => isSame(tableAt(lines, index), [section]) && line.key !== undefined)
  const isRootForm = root.some(({ key }) => key === section || key?.startsWith(`${section}.`))
  const isDotted = inside.some(({ key }) => key === name || key?.startsWith(`${name}.`))
  if (isRootForm || isDotted) throw new SyntaxError(`${section} is written as a dotted key or in one line`)
}

function tableAt(lines: readonly Line[], index: number): string[] | undefined {
  return lines.slice(0, index).findLast(line => line.table !== undefined)?.table
}

const valueOf = (text: string): string => /=\s*(?:"([^"]*)"|'([^']*)')/.exec(text)?.slice(1).find(Boolean) ?? text

const bareOrQuoted = (key: string): string => (/^[\w-]+$/.test(key) ? key : quoted(key))

const quoted = (value: string): string => JSON.stringify(value)
