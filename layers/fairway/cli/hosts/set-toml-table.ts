import { isDeepStrictEqual } from 'node:util'
import { parse, type TomlTable } from 'smol-toml'

type Path = readonly [section: string, name: string]

/**
 * Returns the text of a TOML file with `key = "value"` set in one table (`[mcp_servers.fairway]`). Every other line stays as it
 * is, including lines that the person added to the table. Throws a SyntaxError for a file that cannot be read, or cannot be
 * changed safely.
 */
export function setTomlTable(text: string, path: Path, values: Readonly<Record<string, string>>): string {
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  const statements = readStatements(text)
  const start = statements.findIndex(statement => isHeaderOf(statement, path))
  checkForm(statements, path, start)
  const pairs = Object.entries(values).map(([key, value]) => [key, `${key} = ${quoted(value)}${newline}`] as const)
  if (start === -1) {
    const gap = text === '' ? '' : text.endsWith('\n') ? newline : newline.repeat(2)
    const table = `[${path.map(bareOrQuoted).join('.')}]${newline}${pairs.map(([, line]) => line).join('')}`
    return checked(text, `${text}${gap}${table}`, path, values)
  }
  const next = statements.findIndex((statement, index) => index > start && isHeader(statement))
  const end = next === -1 ? statements.length : next
  const body = statements.slice(start + 1, end)
  // A command and an address are different kinds of server, so this removes all keys of the other kind.
  const lines = body.some(({ content }) => 'command' in content) ? body.filter(({ content }) => isEmpty(content)) : body
  const waiting = new Map(pairs)
  const changed = lines.map(({ text: line, content }) => {
    const [key = '', value] = Object.entries(content)[0] ?? []
    const wanted = waiting.get(key)
    waiting.delete(key)
    return wanted === undefined || value === values[key] ? line : wanted
  })
  const head = statements.slice(0, start + 1).map(statement => statement.text)
  if (!head.at(-1)?.endsWith('\n')) head.push(newline)
  const rest = statements.slice(end).map(statement => statement.text)
  return checked(text, [...head, ...waiting.values(), ...changed, ...rest].join(''), path, values)
}

/** A header, an assignment, or a line that is empty or a comment. */
interface Statement {
  text: string
  content: TomlTable
}

/** A statement ends at the first line where its text parses as complete TOML, because values may span several lines. */
function readStatements(text: string): Statement[] {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? []
  const statements: Statement[] = []
  const open = { text: '', line: 1 }
  for (const [index, line] of lines.entries()) {
    open.text += line
    const content = read(open.text)
    if (!content) continue
    statements.push({ text: open.text, content })
    Object.assign(open, { text: '', line: index + 2 })
  }
  if (open.text === '') return statements
  throw new SyntaxError(`line ${open.line}${open.text.includes('=') ? ': the value does not end' : ''}`)
}

function read(text: string): TomlTable | undefined {
  try {
    return parse(text, { integersAsBigInt: 'asNeeded' })
  } catch {
    return undefined
  }
}

const isHeader = ({ text }: Statement): boolean => text.trimStart().startsWith('[')
const isEmpty = (table: TomlTable | undefined): boolean => table !== undefined && Object.keys(table).length === 0
const isHeaderOf = (statement: Statement, path: Path): boolean =>
  isHeader(statement) && isEmpty(entryOf(statement.content, path))

/** Throws when the server is declared twice, or in a form that this code does not edit: as a dotted key or an inline table. */
function checkForm(statements: readonly Statement[], path: Path, start: number): void {
  const [section, name] = path
  if (statements.filter(statement => isHeaderOf(statement, path)).length > 1)
    throw new SyntaxError(`[${section}.${name}] is there twice`)
  const whole = read(statements.map(({ text }) => text).join(''))
  if (!whole) throw new SyntaxError('the file has a form that cannot be changed safely')
  if (start === -1 && entryOf(whole, path) !== undefined)
    throw new SyntaxError(`${section} is written as a dotted key or in one line`)
}

/** Throws unless the result differs from the file only in this table, which must have these values. */
function checked(before: string, after: string, path: Path, values: Readonly<Record<string, string>>): string {
  const [was, is] = [read(before), read(after)]
  const entry = is && entryOf(is, path)
  const isRight = was && is && entry && Object.entries(values).every(([key, value]) => entry[key] === value)
  if (isRight && isDeepStrictEqual(without(was, path), without(is, path))) return after
  throw new SyntaxError('the file has a form that cannot be changed safely')
}

const isTable = (value: unknown): value is TomlTable =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function entryOf(file: TomlTable, [section, name]: Path): TomlTable | undefined {
  const group = file[section]
  const entry = isTable(group) ? group[name] : undefined
  return isTable(entry) ? entry : undefined
}

function without(file: TomlTable, [section, name]: Path): TomlTable {
  const { [section]: group, ...rest } = file
  if (!isTable(group)) return { ...file }
  const { [name]: _entry, ...others } = group
  return Object.keys(others).length === 0 ? rest : { ...rest, [section]: others }
}

const bareOrQuoted = (key: string): string => (/^[\w-]+$/.test(key) ? key : quoted(key))

const quoted = (value: string): string => JSON.stringify(value)
