import { isDeepStrictEqual } from 'node:util'

export type Entry = Record<string, unknown>

/**
 * The text of a JSON file with one entry set in one section (`mcpServers.fairway`); everything else stays as it is, byte for byte.
 * Members that the person has added to the entry stay too. Throws a SyntaxError for a file that cannot be read.
 */
export function setJsonEntry(text: string, section: string, name: string, entry: Entry | string): string {
  const shape = { newline: text.includes('\r\n') ? '\r\n' : '\n', indent: indentOf(text) }
  if (text.trim() === '') return `${printed({ [section]: { [name]: entry } }, shape, 0)}${shape.newline}`
  const root = parseJsonDocument(text)
  if (root.kind !== 'object') throw new SyntaxError('the file holds no JSON object')
  const part = memberOf(root, section)
  const after = part
    ? withinSection(text, part, section, name, entry, shape)
    : insert(text, root, section, { [name]: entry }, shape, 1)
  return checked(text, after, section, name)
}

interface Shape {
  newline: string
  indent: string
}

function withinSection(
  text: string,
  part: JsonNode,
  section: string,
  name: string,
  entry: Entry | string,
  shape: Shape,
): string {
  if (part.kind !== 'object') throw new SyntaxError(`“${section}” in the file is no object`)
  const present = memberOf(part, name)
  if (!present) return insert(text, part, name, entry, shape, 2)
  const merged = merge(present.value, entry)
  if (isDeepStrictEqual(merged, present.value)) return text
  return text.slice(0, present.start) + printed(merged, shape, 2) + text.slice(present.end)
}

/** What the person has added stays, but an entry of the other kind (a command, an address) goes whole. */
function merge(present: unknown, entry: Entry | string): Entry | string {
  if (typeof entry === 'string') return entry
  if (typeof present !== 'object' || present === null || Array.isArray(present)) return entry
  const isOtherKind = 'command' in present !== 'command' in entry
  return isOtherKind ? entry : { ...present, ...entry }
}

// Of a key that is there twice, programs read the last one.
const memberOf = (node: JsonNode, key: string): JsonNode | undefined =>
  node.members.findLast(member => member.key === key)?.node

function insert(text: string, parent: JsonNode, key: string, value: unknown, shape: Shape, depth: number): string {
  const { newline, indent } = shape
  const line = `${newline}${indent.repeat(depth)}${JSON.stringify(key)}: ${printed(value, shape, depth)}`
  const close = parent.end - 1
  const bodyEnd = parent.start + 1 + text.slice(parent.start + 1, close).trimEnd().length
  const tail = text.slice(bodyEnd, close)
  const closing = tail.includes('\n') ? tail : `${newline}${indent.repeat(depth - 1)}`
  const comma = parent.lastEnd !== undefined && !parent.hasTrailingComma ? ',' : ''
  // The comma belongs to the value before; a comment may lie between it and the end.
  const at = parent.lastEnd ?? bodyEnd
  const ownComma = parent.hasTrailingComma ? ',' : ''
  return text.slice(0, at) + comma + text.slice(at, bodyEnd) + line + ownComma + closing + text.slice(close)
}

function printed(value: unknown, { newline, indent }: Shape, depth: number): string {
  return JSON.stringify(value, undefined, indent).replaceAll('\n', newline + indent.repeat(depth))
}

const indentOf = (text: string): string =>
  /^([\t ]+)["\]}]/m.exec(text)?.[1]?.replace(/^( {8}| {4}| {2}).*$/s, '$1') ?? '  '

/** The result must read as the file did, but for this one entry. */
function checked(before: string, after: string, section: string, name: string): string {
  const without = (text: string) => {
    const value = structuredClone(parseJsonDocument(text).value) as Record<string, Record<string, unknown> | undefined>
    delete value[section]?.[name]
    if (Object.keys(value[section] ?? {}).length === 0) delete value[section]
    return value
  }
  if (!isDeepStrictEqual(without(before), without(after)))
    throw new SyntaxError('the file has a form that cannot be changed safely')
  return after
}

/** A value in a JSON text with comments, with where it lies. */
interface JsonNode {
  kind: 'object' | 'array' | 'other'
  start: number
  end: number
  value: unknown
  members: { key: string; node: JsonNode }[]
  /** Where the last member or element ends; undefined when there is none. */
  lastEnd?: number
  /** Whether a comma follows the last member. */
  hasTrailingComma: boolean
}

interface Reader {
  text: string
  at: number
}

const SCALAR = /"(?:[^"\\\n\r]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
const SPACE = /(?:[\s\uFEFF]+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y
const MAX_DEPTH = 200

/** Reads JSON that may hold comments and trailing commas, as editors write it; throws a SyntaxError with line and column. */
export function parseJsonDocument(text: string): JsonNode {
  const reader = { text, at: 0 }
  skip(reader)
  const root = readValue(reader, 0)
  skip(reader)
  if (reader.at < text.length) throw faultAt(reader)
  return root
}

function readValue(reader: Reader, depth: number): JsonNode {
  if (depth > MAX_DEPTH) throw faultAt(reader)
  if (has(reader, '{')) return readList(reader, 'object', depth)
  if (has(reader, '[')) return readList(reader, 'array', depth)
  const start = reader.at
  const value = readScalar(reader)
  return { kind: 'other', start, end: reader.at, value, members: [], hasTrailingComma: false }
}

function readList(reader: Reader, kind: 'object' | 'array', depth: number): JsonNode {
  const close = kind === 'object' ? '}' : ']'
  const node: JsonNode = {
    kind,
    start: reader.at,
    end: reader.at,
    value: undefined,
    members: [],
    hasTrailingComma: false,
  }
  reader.at++
  skip(reader)
  while (!has(reader, close)) {
    const key = kind === 'object' ? readKey(reader) : ''
    const child = readValue(reader, depth + 1)
    node.members.push({ key, node: child })
    node.lastEnd = child.end
    skip(reader)
    node.hasTrailingComma = has(reader, ',')
    if (node.hasTrailingComma) reader.at++
    else if (!has(reader, close)) throw faultAt(reader)
    skip(reader)
  }
  reader.at++
  node.end = reader.at
  node.value = kind === 'object' ? toObject(node) : node.members.map(member => member.node.value)
  return node
}

const toObject = ({ members }: JsonNode) => Object.fromEntries(members.map(({ key, node }) => [key, node.value]))

function readKey(reader: Reader): string {
  const key = readScalar(reader)
  if (typeof key !== 'string') throw faultAt(reader)
  skip(reader)
  if (!has(reader, ':')) throw faultAt(reader)
  reader.at++
  skip(reader)
  return key
}

function readScalar(reader: Reader): unknown {
  SCALAR.lastIndex = reader.at
  const found = SCALAR.exec(reader.text)?.[0]
  if (found === undefined) throw faultAt(reader)
  try {
    const value: unknown = JSON.parse(found)
    reader.at += found.length
    return value
  } catch {
    throw faultAt(reader)
  }
}

const has = ({ text, at }: Reader, sign: string): boolean => text[at] === sign

function skip(reader: Reader): void {
  SPACE.lastIndex = reader.at
  reader.at += SPACE.exec(reader.text)?.[0].length ?? 0
}

function faultAt({ text, at }: Reader): SyntaxError {
  const lines = text.slice(0, at).split('\n')
  return new SyntaxError(`line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`)
}
