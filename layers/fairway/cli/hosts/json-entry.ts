import { isDeepStrictEqual } from 'node:util'
import { getNodeValue, type Node, parseTree, type ParseError, stripComments } from 'jsonc-parser'
import { isRecord } from '../../shared/record'

export type Entry = Record<string, unknown>

/**
 * Returns the text of a JSON file with one entry set in one section (`mcpServers.fairway`); everything else stays as it is, byte
 * for byte. Members that the person added to the entry stay too. Throws a SyntaxError for a file that cannot be read.
 */
export function setJsonEntry(text: string, section: string, name: string, entry: Entry | string): string {
  const shape = { newline: text.includes('\r\n') ? '\r\n' : '\n', indent: indentOf(text) }
  if (text.trim() === '') return `${printed({ [section]: { [name]: entry } }, shape, 0)}${shape.newline}`
  const root = parseNode(text)
  if (root.type !== 'object') throw new SyntaxError('the file holds no JSON object')
  const part = memberOf(root, section)
  const after = part
    ? withinSection(text, part, section, name, entry, shape)
    : insert(text, root, section, { [name]: entry }, shape, 1)
  return checked(text, after, section, name)
}

/** Parses JSON that may contain comments and trailing commas, as editors write it; throws a SyntaxError with line and column. */
export const parseJsonc = (text: string): unknown => valueOf(parseNode(text))

// The library's objects have no prototype, so a deep comparison with other objects would always fail.
const valueOf = (node: Node): unknown => structuredClone(getNodeValue(node))

function parseNode(text: string): Node {
  const errors: ParseError[] = []
  // Some Windows editors write a byte order mark at the start of a file.
  const root = parseTree(text.replace(/^\uFEFF/, ' '), errors, { allowTrailingComma: true })
  const [fault] = errors
  if (root && !fault) return root
  const lines = text.slice(0, fault?.offset ?? 0).split('\n')
  throw new SyntaxError(`line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`)
}

interface Shape {
  newline: string
  indent: string
}

function withinSection(
  text: string,
  part: Node,
  section: string,
  name: string,
  entry: Entry | string,
  shape: Shape,
): string {
  if (part.type !== 'object') throw new SyntaxError(`“${section}” in the file is no object`)
  const present = memberOf(part, name)
  if (!present) return insert(text, part, name, entry, shape, 2)
  const value = valueOf(present)
  const merged = merge(value, entry)
  if (isDeepStrictEqual(merged, value)) return text
  return text.slice(0, present.offset) + printed(merged, shape, 2) + text.slice(endOf(present))
}

/**
 * Keeps members that the person added, except those that are undefined now; an entry of the other kind (a command, an address) is
 * replaced completely.
 */
function merge(present: unknown, entry: Entry | string): Entry | string {
  if (typeof entry === 'string') return entry
  if (!isRecord(present)) return entry
  const isOtherKind = 'command' in present !== 'command' in entry
  const merged = isOtherKind ? entry : { ...present, ...entry }
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined))
}

// When a key is duplicated, programs read its final value, so this edits that one.
const memberOf = ({ children = [] }: Node, key: string): Node | undefined =>
  children.findLast(property => property.children?.[0]?.value === key)?.children?.[1]

const endOf = ({ offset, length }: Node): number => offset + length

function insert(text: string, parent: Node, key: string, value: unknown, shape: Shape, depth: number): string {
  const { newline, indent } = shape
  const line = `${newline}${indent.repeat(depth)}${JSON.stringify(key)}: ${printed(value, shape, depth)}`
  const close = endOf(parent) - 1
  const bodyEnd = parent.offset + 1 + text.slice(parent.offset + 1, close).trimEnd().length
  const tail = text.slice(bodyEnd, close)
  const closing = tail.includes('\n') ? tail : `${newline}${indent.repeat(depth - 1)}`
  const last = parent.children?.at(-1)
  // The comma belongs to the previous value; a comment may lie between it and the end.
  const at = last ? endOf(last) : bodyEnd
  const hasTrailingComma = last !== undefined && stripComments(text.slice(at, close)).includes(',')
  const comma = last === undefined || hasTrailingComma ? '' : ','
  const ownComma = hasTrailingComma ? ',' : ''
  return text.slice(0, at) + comma + text.slice(at, bodyEnd) + line + ownComma + closing + text.slice(close)
}

function printed(value: unknown, { newline, indent }: Shape, depth: number): string {
  return JSON.stringify(value, undefined, indent).replaceAll('\n', newline + indent.repeat(depth))
}

const indentOf = (text: string): string =>
  /^([\t ]+)["\]}]/m.exec(text)?.[1]?.replace(/^( {8}| {4}| {2}).*$/s, '$1') ?? '  '

/** Throws unless the result differs from the file only in this entry. */
function checked(before: string, after: string, section: string, name: string): string {
  const without = (text: string) => {
    const value = parseJsonc(text) as Record<string, Record<string, unknown> | undefined>
    delete value[section]?.[name]
    if (Object.keys(value[section] ?? {}).length === 0) delete value[section]
    return value
  }
  if (!isDeepStrictEqual(without(before), without(after)))
    throw new SyntaxError('the file has a form that cannot be changed safely')
  return after
}
